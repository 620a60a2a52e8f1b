import { readFile } from 'node:fs/promises'
import { choice, given, type Options, UsageError, type ValuesOf } from './command.ts'

const languageOptions = {
  lang: { value: 'LANGUAGE', about: 'such as en, pt-BR or German; else the language of the video' },
  'strict-lang': { about: 'no other language will do' },
  translate: { about: "the platform's own translation into this language will do" },
  vocabulary: { value: 'TERMS', about: 'names and terms, with commas between them, that must be spelled right' },
  'fail-fast': { about: 'fail at once if the platform refuses to answer' },
} as const satisfies Options

/** The options of a transcript. */
export const transcriptOptions = {
  mode: {
    value: 'MODE',
    about: 'native: captions, 1 credit; generate: speech-to-text, 5; auto: captions if there are any',
  },
  ...languageOptions,
  words: { about: 'each word with its times' },
  speakers: { about: 'who speaks, by letter (mode generate)' },
} as const satisfies Options

/** The options of an extraction. */
export const extractionOptions = {
  prompt: { value: 'TEXT', about: 'what to extract' },
  schema: { value: 'FILE', about: 'JSON Schema that the result must fit' },
  ...languageOptions,
} as const satisfies Options

/** The options of commands that make either: an extraction if there is a prompt or a schema. */
export const jobOptions = { ...transcriptOptions, ...extractionOptions } as const satisfies Options

export const modes = ['native', 'generate', 'auto'] as const

/** The prompt for `extract --schema FILE` alone: the service requires a prompt. */
const PROMPT_OF_SCHEMA = 'Extract from the video what the schema describes.'

/** The contents of a file that the caller named. @throws UsageError if it cannot be read */
export async function fileText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as { code?: string }
    throw new UsageError(`${path} cannot be read${code === 'ENOENT' ? ': there is no such file' : ` (${code})`}`)
  }
}

async function schemaIn(file: string | undefined): Promise<Record<string, unknown> | undefined> {
  if (file === undefined) return undefined
  const text = await fileText(file)
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${(error as Error).message}`)
  }
}

/** The fields of a transcript's body that the options give. @throws UsageError */
export function transcriptFields(values: ValuesOf<typeof transcriptOptions>) {
  const { lang, translate, vocabulary, words, speakers } = values
  const mode = choice('mode', values.mode, modes)
  const [strictLang, failFast] = [values['strict-lang'], values['fail-fast']]
  return given({ mode, lang, strictLang, translate, vocabulary, failFast, words, speakers })
}

/** The fields of an extraction's body. @throws UsageError if there is neither a prompt nor a schema */
export async function extractionFields(values: ValuesOf<typeof extractionOptions>) {
  const { lang, translate, vocabulary } = values
  const schema = await schemaIn(values.schema)
  const prompt = values.prompt ?? (schema === undefined ? undefined : PROMPT_OF_SCHEMA)
  if (prompt === undefined) throw new UsageError('--prompt or --schema is missing')
  const [strictLang, failFast] = [values['strict-lang'], values['fail-fast']]
  return { prompt, ...given({ schema, lang, strictLang, translate, vocabulary, failFast }) }
}

export type Wanted = { operation: 'transcript' | 'extraction'; options: Record<string, unknown> }

/** The request for each of many videos. @throws UsageError for options of both kinds of job */
export async function wantedOf(values: ValuesOf<typeof jobOptions>): Promise<Wanted> {
  if (values.prompt === undefined && values.schema === undefined)
    return { operation: 'transcript', options: transcriptFields(values) }
  const { mode, words, speakers } = values
  if ([mode, words, speakers].some((one) => one !== undefined))
    throw new UsageError('--mode, --words and --speakers are for transcripts, --prompt and --schema for extractions')
  return { operation: 'extraction', options: await extractionFields(values) }
}
