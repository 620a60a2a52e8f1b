import { command, connect } from './context.ts'
import { extractionFields, extractionOptions } from './job-body.ts'
import { requestedIn, runJob, runOptions } from './run-job.ts'
import { writeText } from './terminal.ts'

export const extract = command({
  words: 'URL',
  about: 'Extracts data from a video, by a prompt, a JSON Schema, or both (10 credits).',
  more: 'Ctrl-C cancels the job, which is then refunded; with --id it only ends the wait.',
  options: {
    ...extractionOptions,
    ...runOptions,
  },
  async run(context) {
    const asked = await requestedIn(context, () => extractionFields(context.values))
    const client = await connect(context)
    const { result } = await runJob(context, client, client.extractions, asked)
    await writeText(context, JSON.stringify(result, null, 2))
  },
})
