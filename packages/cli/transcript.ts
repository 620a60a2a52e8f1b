import { extname } from 'node:path'
import { choice, given, oneWord, UsageError } from './command.ts'
import { type Context, command, connect, noWords } from './context.ts'
import { transcriptFields, transcriptOptions } from './job-body.ts'
import { runJob } from './run-job.ts'
import { isForPerson, writeText } from './terminal.ts'

const formats = ['json', 'srt', 'vtt', 'txt'] as const
export type Format = (typeof formats)[number]

const options = {
  format: { value: 'FORMAT', about: `${formats.join(', ')}; else by the name of --output` },
  ...transcriptOptions,
  reuse: { about: 'the result of the same request of the last 24 hours, for 0 credits, if there is one' },
  id: { value: 'JOB', about: 'wait for a job that was requested before, in place of a URL' },
} as const

type Asked = Context<typeof options>

/** The result's format: by the option, by the file's name, or else by its reader. @throws UsageError */
export function formatOf(context: Pick<Asked, 'io' | 'values'>): Format {
  const { format, json, output = '' } = context.values
  const asked = choice('format', format, formats)
  if (json && asked !== undefined && asked !== 'json') throw new UsageError('--json and --format exclude each other')
  if (asked !== undefined) return asked
  if (json) return 'json'
  return formats.find((one) => extname(output) === `.${one}`) ?? (isForPerson(context) ? 'txt' : 'json')
}

export const transcript = command({
  words: 'URL',
  about: 'Prints the transcript of a video.',
  more: 'Ctrl-C cancels the job, which is then refunded; with --id it only ends the wait.',
  options,
  async run(context) {
    const { words, values, signal } = context
    const format = formatOf(context)
    if (values.id !== undefined) noWords(words)
    const asked =
      values.id !== undefined
        ? { id: values.id }
        : {
            body: {
              url: oneWord(words, 'the URL of a video'),
              ...transcriptFields(values),
              ...given({ reuse: values.reuse }),
            },
          }
    const client = await connect(context)
    const { jobId, result } = await runJob(context, client, client.transcripts, asked)
    if (format === 'json') return writeText(context, JSON.stringify(result, null, 2))
    const text = await client.transcriptText(jobId, format === 'txt' ? 'text' : format, { signal })
    return writeText(context, text)
  },
})
