/** One clip of pocketsphinx-testdata (LibriVox, public domain), with its text in three languages. */
type Clip = { name: string; seconds: number; en: string; de: string; es: string }

/** A spoken line, in seconds from the beginning of its film. */
export type Cue = { start: number; end: number; text: string }

export type CueLanguage = 'en' | 'de' | 'es'

const clips = {
  leisure: {
    name: 'sense_and_sensibility_01_austen_64kb-0870',
    seconds: 7.1,
    en: 'And Mr. John Dashwood had then leisure to consider how much there might be prudently in his power to do for them.',
    de: 'Und Herr John Dashwood hatte nun Muße zu bedenken, wie viel er klugerweise für sie würde tun können.',
    es: 'Y el señor John Dashwood tuvo entonces tiempo de pensar cuánto podría hacer prudentemente por ellas.',
  },
  disposed: {
    name: 'sense_and_sensibility_01_austen_64kb-0880',
    seconds: 2.99,
    en: 'He was not an ill-disposed young man,',
    de: 'Er war kein übelgesinnter junger Mann,',
    es: 'No era un joven mal dispuesto,',
  },
  selfish: {
    name: 'sense_and_sensibility_01_austen_64kb-0890',
    seconds: 5.3,
    en: 'unless to be rather cold-hearted and rather selfish is to be ill-disposed.',
    de: 'es sei denn, recht kaltherzig und recht selbstsüchtig zu sein heiße übelgesinnt sein.',
    es: 'a menos que ser algo frío y algo egoísta sea estar mal dispuesto.',
  },
  married: {
    name: 'sense_and_sensibility_01_austen_64kb-0920',
    seconds: 6.05,
    en: 'Had he married a more amiable woman, he might have been made still more respectable than he was:',
    de: 'Hätte er eine liebenswürdigere Frau geheiratet, wäre er wohl noch achtbarer geworden, als er war:',
    es: 'Si se hubiera casado con una mujer más amable, habría llegado a ser aún más respetable de lo que era:',
  },
  amiable: {
    name: 'sense_and_sensibility_01_austen_64kb-0930',
    seconds: 3.29,
    en: 'he might even have been made amiable himself.',
    de: 'Er wäre womöglich selbst liebenswürdig geworden.',
    es: 'incluso él mismo podría haberse vuelto amable.',
  },
} satisfies Record<string, Clip>

const PAUSE_SECONDS = 1

const filmsOf = (name: keyof typeof films): Clip[] => films[name].map((clip) => clips[clip])

/**
 * The clips of each film, in order, each followed by a second of silence. All videos of the catalogue share these
 * films.
 */
const films = {
  chapter: ['leisure', 'disposed', 'selfish', 'married', 'amiable'],
  leisure: ['leisure', 'disposed'],
  amiable: ['selfish', 'married'],
} as const satisfies Record<string, readonly (keyof typeof clips)[]>

export type FilmName = keyof typeof films
export const filmNames = Object.keys(films) as FilmName[]

/** The names of a film's clips, as in the folder of pocketsphinx-testdata. */
export const clipNamesOf = (film: FilmName): string[] => filmsOf(film).map(({ name }) => name)

/** The length of the finished film, seconds. */
export const secondsOf = (film: FilmName): number =>
  filmsOf(film).reduce((sum, { seconds }) => sum + seconds + PAUSE_SECONDS, 0)

/** The captions of a film that a person wrote or translated. */
export function cuesOf(film: FilmName, language: CueLanguage): Cue[] {
  let start = 0
  return filmsOf(film).map((clip) => {
    const cue = { start, end: round(start + clip.seconds), text: clip[language] }
    start = round(cue.end + PAUSE_SECONDS)
    return cue
  })
}

/** The captions of a film that a machine made: lower case, no punctuation. */
export const heardIn = (film: FilmName): Cue[] =>
  cuesOf(film, 'en').map((cue) => ({
    ...cue,
    text: cue.text.toLowerCase().replace('mr.', 'mister').replace(/[.,:]/g, '').replaceAll('-', ' '),
  }))

const round = (seconds: number): number => Math.round(seconds * 1_000) / 1_000

/** `00:00:07.100` */
export const timestamp = (seconds: number): string => new Date(Math.round(seconds * 1_000)).toISOString().slice(11, 23)
