"""Speaks the words of the example with espeak-ng, and keeps them as 16 kHz sound.

Usage: python make_words.py OUT.npz

The file holds all utterances one after the other (`sound`, int16), where each begins and ends, where
speech begins and ends within it, its word, and whether its voice is one for training, for choosing
thresholds, or for testing.
"""
import pathlib
import subprocess
import sys
import tempfile
import wave
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
from scipy.signal import resample_poly

from voices import RandomVoices

RATE = 16_000
WORDS = ["yes", "no", "up", "down", "left", "right", "stop", "go", "on", "off"]
# What is none of the words: for training, and others that no training saw.
OTHERS = """
    hello table seven window water never house music garden yellow letter open after under over
    snow note stock lift lest test own often ton bright light town cup gone one two three four five
    six eight nine ten red green blue black white day night morning paper river mountain friend
    school book chair kitchen bottle green street summer winter people number answer question
    because maybe please thank sorry always again before between little great small large start
    begin end close play pause next last first second back forward turn switch volume weather radio
    computer telephone machine picture sound voice learn listen speak write read run walk sit stand
    cat dog bird fish horse apple bread cheese coffee tea sugar salt pepper nose knee done gum
    """.split()
MORE_OTHERS = """
    able about above across act add age air all also among angry ant any apart area arm army art
    ask aunt away baby bag ball bank base bath beach bean bed bell belt best big bit blood blow
    boil bone boot born both bowl box boy brain branch bread break brick bring broken brown brush
    build bus busy butter button buy cake call calm can cap car card care carry case catch cause
    chain chalk chance cheap check chest chin clean clear clock cloth cloud cold come cook cool
    copper copy cord cost cotton cough could count cover cow crack crime cross cruel cry cut damp
    dark date dead dear debt deep desk dirt dog dress drink drive drop dry dust ear early earth
    east edge egg elbow enough even every eye face fact fall family far farm fat father fear feed
    feel few field fight fill find fire first fixed flag flame flat flight floor flow fly fold food
    fool foot form fowl frame free front fruit full fun future get girl give glad glass glove goat
    gold good grass grey grip group guide gun hair half hand hard hat head health hear heart heat
    help hen here high hole hollow home hook hope hour how ice idea if ill ink iron itch jelly
    jewel job join judge jump keep key kick kind kiss knife knot lake lamp land late laugh law lead
    leaf leg let level lip list lock long look loose loss lot loud love low luck lunch make man map
    mark mass match meal meet memory milk mind mine minute mist money month moon moss mother mouth
    move much mud nail name near neck need nest net new nice noise north nut oak oil old one or
    oven owl own page pain paint pan part paste path pay peace pen pet pig pin pipe place plane
    plant plate please plow point poison pool poor pot price prison pull pump push put quick
    quiet quite rail rain range rat rate ray red rest rice ring river road rod roll roof room root
    rough round rub rule safe sail same sand say school sea seat seed self sell send set shade
    shake shame sharp sheep shelf ship shirt shock shoe shop short shot show shut side sign silk
    size skin skirt sky sleep slip slope slow smash smell smile smoke smooth snake soap sock
    soft soil some son song soon sort soup south space spade spoon spot spring square stage stamp
    star steam steel stem step stick stiff still stitch store storm story strange strong such
    sudden sun support swim tail take talk tall taste tax tea ten test than that then thick thin
    thing this though thought thread throat thumb time tin tired toe top touch town toy trade train
    tray tree trick trousers true trust try tub twist two ugly use vest view vote waist wait wall
    war warm wash waste watch wave wax way week weight well west wet what wheel when where while
    who why wide wild will wind wine wing wire wise wish with woman wood wool word work worm wound
    wrong year yet young zoo
    """.split()
UNSEEN_OTHERS = """
    orange dinner island pencil village doctor silver candle market ladder basket engine station
    rabbit sister brother thunder blanket pocket mirror hammer planet bridge forest camera uncle
    nobody yesterday press loft theft rope tape tight bite coat boat lawn sauce
    """.split()

ACCENTS = ["en", "en-US", "en-US-nyc", "en-GB-x-gbclan", "en-GB-x-gbcwmd", "en-GB-x-rp", "en-029"]
UNSEEN_ACCENT = "en-GB-scotland"
# Voices that are left out of training: whole families of variants, and single ones.
UNSEEN = """
    Annie Denis Hugo Michael belinda croak david edward edward2 f3 grandma iven iven2 iven3 iven4
    linda m3 m7 shelby steph steph2 steph3 victor zac
    """.split()
# Voices for choices while training, left out of it, too.
VALIDATION = "Andrea Marco f5 m5 miguel paul max quincy".split()
# Nearly the same as Hugo, which is left out: nobody hears them, neither in training nor validation.
TWINS = "Diogo Henrique michel miguel".split()
# Each part is 4,200 texts, each in a random voice of its own.
RANDOM_PARTS = 6


def data():
    """The folder of espeak-ng's data."""
    text = subprocess.run(["espeak-ng", "--version"], capture_output=True, text=True).stdout
    return pathlib.Path(text.split("Data at:")[1].strip())


def variants():
    """The variants that espeak-ng has, but the one whose name has a space."""
    return sorted(path.name for path in (data() / "voices/!v").iterdir() if " " not in path.name)


def resampled(sound, rate):
    divisor = np.gcd(rate, RATE)
    return resample_poly(sound, RATE // divisor, rate // divisor)


def speak(text, voice, speed=160, pitch=50):
    """The sound of a text, float at 16 kHz."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/x.wav"
        subprocess.run(
            ["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "-w", path, text],
            check=True, capture_output=True)
        with wave.open(path) as file:
            assert file.getnchannels() == 1 and file.getsampwidth() == 2
            rate = file.getframerate()
            sound = np.frombuffer(file.readframes(file.getnframes()), np.int16) / 32768
    return resampled(sound, rate)


def extent(sound):
    """Where speech begins and ends: the 10 ms parts within 34 dB of the loudest."""
    parts = sound[: len(sound) // 160 * 160].reshape(-1, 160)
    level = np.sqrt((parts ** 2).mean(axis=1))
    loud = np.flatnonzero(level > 0.02 * level.max())
    return int(loud[0]) * 160, int(loud[-1] + 1) * 160


def chosen_texts(rng, others, count, other_count):
    """Each word so many times, and so many texts of one to three others."""
    texts = [(word, label) for label, word in enumerate(WORDS) for _ in range(count)]
    for _ in range(other_count):
        several = rng.choice(others, rng.choice([1, 2, 3], p=[0.7, 0.2, 0.1]))
        texts.append((" ".join(several), len(WORDS)))
    return texts


def plan_of_variants():
    """What espeak-ng's own variants say, as (split, text, label, voice, speed, pitch)."""
    rng = np.random.default_rng(16)
    known = variants()
    missing = set(UNSEEN + VALIDATION + TWINS) - set(known)
    assert not missing, f"espeak-ng lacks the variants {missing}"
    training = [name for name in known if name not in UNSEEN + VALIDATION]
    for split, names, others, count, other_count in (
            ("training", training, OTHERS, 400, 3200),
            ("validation", VALIDATION, OTHERS, 40, 200),
            ("test", UNSEEN, UNSEEN_OTHERS, 80, 400)):
        for text, label in chosen_texts(rng, others, count, other_count):
            accent = rng.choice(ACCENTS)
            # A fifth of the test is of an accent that no training heard.
            if split == "test" and rng.random() < 0.2:
                accent = UNSEEN_ACCENT
            name = rng.choice(names)
            speed, pitch = int(rng.integers(110, 231)), int(rng.integers(20, 81))
            if name not in TWINS:
                yield split, text, label, f"gmw/{accent}+{name}", speed, pitch


def said_by_variants(number, row):
    """What a row of the plan says, or None."""
    split, text, label, voice, speed, pitch = row
    if number % 1000 == 0:
        print(number, "texts of variants", flush=True)
    return kept(speak(text, voice, speed, pitch), split, text, label, voice)


def said_by_random_voices(part):
    """What random voices say in one of a few parts, all of it for training."""
    rng = np.random.default_rng([23, part])
    rows, others = [], sorted(set(OTHERS + MORE_OTHERS))
    with tempfile.TemporaryDirectory() as folder:
        voices = RandomVoices(data(), folder)
        for number, (text, label) in enumerate(chosen_texts(rng, others, 300, 1200)):
            accent, speed, pitch = rng.choice(ACCENTS), rng.integers(110, 231), rng.integers(20, 81)
            sound = resampled(
                voices.speak(rng, text, accent, int(speed), int(pitch)), voices.rate)
            rows.append(kept(sound, "training", text, label, f"gmw/{accent}+random{part}-{number}"))
    print("random voices, part", part, flush=True)
    return rows


def kept(sound, split, text, label, voice):
    """The columns of the file for a sound, or None if the voice cannot say it."""
    peak = np.abs(sound).max() if len(sound) else 0
    if peak < 0.01:
        return None
    return ((sound / peak * 32000).astype(np.int16), split, text, label, voice, *extent(sound),
            len(sound))


def main():
    plan = list(plan_of_variants())
    with ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(said_by_variants, range(len(plan)), plan))
    with ProcessPoolExecutor(2) as pool:
        for part in pool.map(said_by_random_voices, range(RANDOM_PARTS)):
            rows += part
    columns = list(zip(*filter(None, rows)))
    np.savez(
        sys.argv[1], sound=np.concatenate(columns[0]), split=columns[1], text=columns[2],
        label=columns[3], voice=columns[4], begin=columns[5], end=columns[6], length=columns[7])
    print(len(columns[0]), "utterances of", len(set(columns[4])), "voices")


if __name__ == "__main__":
    main()
