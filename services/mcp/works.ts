import type { CallToolResult } from '@modelcontextprotocol/server'
import type { ProfileQuestion, VideoIntelligence } from '#packages/client/client.ts'
import { VideoIntelligenceError } from '#packages/client/error.ts'
import type { CallOptions } from '#packages/client/jobs.ts'
import {
  type ExtractionArguments,
  extractionAnswer,
  type JobArguments,
  metadataAnswer,
  type Profile,
  type ProfileArguments,
  profileAnswer,
  queuedAnswer,
  type TranscriptArguments,
  transcriptAnswer,
} from './answers.ts'
import { failureResult } from './failure.ts'
import { resultOf } from './job-call.ts'
import type { ToolName } from './tool-cards.ts'
import type { Turn } from './turn.ts'

/** The work of a tool. `late` makes the answer if the time is over before the work has ended. */
export type ToolWork<A> = {
  work(given: A, turn: Turn): Promise<CallToolResult>
  late(given: A, turn: Turn): CallToolResult
}

const tooLate = (): CallToolResult =>
  failureResult(new VideoIntelligenceError('timeout', 'The service did not answer in time.', { status: 0 }))

const read = <A>(work: ToolWork<A>['work']): ToolWork<A> => ({ work, late: tooLate })

type ReadProfile = (question: ProfileQuestion, options: CallOptions) => Promise<Profile>

const profile = (tool: ToolName, readProfile: ReadProfile, maxTokens: number) =>
  read<ProfileArguments>(async (given, { signal }) => {
    const { from: _, ...question } = given
    return profileAnswer(tool, await readProfile(question, { signal }), given, maxTokens)
  })

/** The work of all tools. */
export function toolWorks(client: VideoIntelligence, maxTokens: number) {
  const job = <A extends JobArguments>(tool: ToolName, work: ToolWork<A>['work']): ToolWork<A> => ({
    work,
    late: (given, { jobId }) => queuedAnswer(tool, given, jobId, maxTokens),
  })
  return {
    get_video_metadata: read<{ url: string }>(async ({ url }, { signal }) =>
      metadataAnswer(await client.metadata(url, { signal })),
    ),
    get_tiktok_profile: profile('get_tiktok_profile', client.tiktokProfile.bind(client), maxTokens),
    get_instagram_profile: profile('get_instagram_profile', client.instagramProfile.bind(client), maxTokens),
    get_video_transcript: job<TranscriptArguments>('get_video_transcript', async (given, turn) => {
      const { jobId: _, fromSeconds: __, toSeconds: ___, url, mode = 'auto', ...asked } = given
      const body = { url, mode, ...asked }
      const call = { kind: 'transcript', jobs: client.transcripts, body, jobId: given.jobId } as const
      const { jobId, result } = await resultOf(client, call, turn)
      return transcriptAnswer(jobId, result, given, maxTokens)
    }),
    extract_from_video: job<ExtractionArguments>('extract_from_video', async (given, turn) => {
      const { path: _, jobId: known, ...body } = given
      const call = { kind: 'extract', jobs: client.extractions, body, jobId: known } as const
      const { jobId, result } = await resultOf(client, call, turn)
      return extractionAnswer(jobId, result, given, maxTokens)
    }),
  } satisfies Record<ToolName, unknown>
}
