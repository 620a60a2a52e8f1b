import { given, oneWord } from './command.ts'
import { command, connect, noWords } from './context.ts'
import { extractionFields, extractionOptions } from './job-body.ts'
import { runJob } from './run-job.ts'
import { writeText } from './terminal.ts'

export const extract = command({
  words: 'URL',
  about: 'Extracts data from a video, by a prompt, a JSON Schema, or both (10 credits).',
  more: 'Ctrl-C cancels the job, which is then refunded; with --id it only ends the wait.',
  options: {
    ...extractionOptions,
    reuse: { about: 'the result of the same request of the last 24 hours, for 0 credits, if there is one' },
    id: { value: 'JOB', about: 'wait for a job that was requested before, in place of a URL' },
  },
  async run(context) {
    const { words, values } = context
    if (values.id !== undefined) noWords(words)
    const asked =
      values.id !== undefined
        ? { id: values.id }
        : {
            body: {
              url: oneWord(words, 'the URL of a video'),
              ...(await extractionFields(values)),
              ...given({ reuse: values.reuse }),
            },
          }
    const client = await connect(context)
    const { result } = await runJob(context, client, client.extractions, asked)
    await writeText(context, JSON.stringify(result, null, 2))
  },
})
