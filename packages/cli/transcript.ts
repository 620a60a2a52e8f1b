import { extname } from 'node:path'
import { choice, UsageError } from './command.ts'
import { type Context, command, connect } from './context.ts'
import { transcriptFields, transcriptOptions } from './job-body.ts'
import { requestedIn, runJob, runOptions } from './run-job.ts'
import { isForPerson, writeText } from './terminal.ts'

const formats = ['json', 'srt', 'vtt', 'txt'] as const
export type Format = (typeof formats)[number]

const options = {
  format: { value: 'FORMAT', about: `${formats.join(', ')}; else by the name of --output` },
  ...transcriptOptions,
  ...runOptions,
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
    const format = formatOf(context)
    const asked = await requestedIn(context, () => transcriptFields(context.values))
    const client = await connect(context)
    const { jobId, result } = await runJob(context, client, client.transcripts, asked)
    if (format === 'json') return writeText(context, JSON.stringify(result, null, 2))
    const text = await client.transcriptText(jobId, format === 'txt' ? 'text' : format, { signal: context.signal })
    return writeText(context, text)
  },
})
