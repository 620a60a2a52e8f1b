import type { CallToolResult } from '@modelcontextprotocol/server'
import type { ProfileQuestion, VideoIntelligence } from '#packages/client/client.ts'
import { VideoIntelligenceError } from '#packages/client/error.ts'
import {
  type ExtractionArguments,
  extractionAnswer,
  plainAnswer,
  profileAnswer,
  queuedAnswer,
  type TranscriptArguments,
  transcriptAnswer,
} from './answers.ts'
import { failureResult } from './failure.ts'
import { resultOf } from './job-call.ts'
import type { ToolName } from './tool-cards.ts'
import type { Turn } from './turn.ts'

/** What a tool does. `late`: the answer where there is no time left for the work's own. */
export type ToolWork<A> = {
  work(given: A, turn: Turn): Promise<CallToolResult>
  late(turn: Turn): CallToolResult
}

const tooLate = (): CallToolResult =>
  failureResult(new VideoIntelligenceError('timeout', 'The service did not answer in time.', { status: 0 }))

const read = <A>(work: ToolWork<A>['work']): ToolWork<A> => ({ work, late: tooLate })

const job = <A>(work: ToolWork<A>['work']): ToolWork<A> => ({ work, late: ({ jobId }) => queuedAnswer(jobId) })

/** The work of every tool. */
export const toolWorks = (client: VideoIntelligence, maxTokens: number) =>
  ({
    get_video_metadata: read<{ url: string }>(async ({ url }, { signal }) =>
      plainAnswer(await client.metadata(url, { signal })),
    ),
    get_tiktok_profile: read<ProfileQuestion>(async (given, { signal }) =>
      profileAnswer(await client.tiktokProfile(given, { signal }), maxTokens),
    ),
    get_instagram_profile: read<ProfileQuestion>(async (given, { signal }) =>
      profileAnswer(await client.instagramProfile(given, { signal }), maxTokens),
    ),
    get_video_transcript: job<TranscriptArguments>(async (given, turn) => {
      const { url, mode = 'auto', lang } = given
      const body = { url, mode, ...(lang !== undefined && { lang }) }
      const { jobId, result } = await resultOf(client, { kind: 'transcript', jobs: client.transcripts, body }, turn)
      return transcriptAnswer(jobId, result, given, maxTokens)
    }),
    extract_from_video: job<ExtractionArguments>(async (given, turn) => {
      const { path: _, ...body } = given
      const { jobId, result } = await resultOf(client, { kind: 'extract', jobs: client.extractions, body }, turn)
      return extractionAnswer(jobId, result, given, maxTokens)
    }),
  }) satisfies Record<ToolName, unknown>
