import type { CallToolResult } from '@modelcontextprotocol/server'
import type { InstagramProfile, TikTokProfile, TranscriptResult } from '#contracts/generated/http.ts'
import { resultPage } from './result-path.ts'
import { tokensOf } from './tokens.ts'
import type { ToolName } from './tool-cards.ts'
import { lineOf, transcriptPage } from './transcript-page.ts'

type NextCall = { tool: ToolName; arguments: Record<string, unknown> }

/** What stands around the parts of a result, tokens. */
const FRAME_TOKENS = 400

/** Arguments that take more tokens are not repeated whole: a schema may be as large as a page. */
const MAX_ARGUMENT_TOKENS = 2000

const answer = (text: string, structuredContent: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent,
})

/** A value that is small in itself. */
export const plainAnswer = (value: object): CallToolResult =>
  answer(JSON.stringify(value), value as Record<string, unknown>)

/** @param jobId undefined: it is not known whether a job was taken on */
export function queuedAnswer(jobId: string | undefined): CallToolResult {
  const which = jobId === undefined ? 'The job' : `Job ${jobId}`
  const text = `status: queued\n${which} is not finished. Call again with the same arguments: that resumes it, and is not charged again.`
  return answer(text, { status: 'queued', jobId: jobId ?? null, next: [] })
}

function nextText(calls: readonly NextCall[]): string {
  if (calls.length === 0) return ''
  const lines = calls.map(({ tool, arguments: given }) => `${tool} ${JSON.stringify(given)}`)
  return `\n\nThe result is cut. For the rest, free of charge, call:\n${lines.join('\n')}`
}

const argumentTokens = (given: object): number => tokensOf(JSON.stringify(given))

export type TranscriptArguments = {
  url: string
  mode?: 'native' | 'generate' | 'auto'
  lang?: string
  fromSeconds?: number
  toSeconds?: number
}

export type ExtractionArguments = {
  url: string
  prompt: string
  lang?: string
  schema?: Record<string, unknown>
  path?: string
}

export function transcriptAnswer(
  jobId: string,
  transcript: TranscriptResult,
  given: TranscriptArguments,
  maxTokens: number,
): CallToolResult {
  const { language, source } = transcript
  const room = maxTokens - FRAME_TOKENS - 2 * argumentTokens(given)
  const { segments, nextFromSeconds } = transcriptPage(transcript, given, room)
  const next: NextCall[] =
    nextFromSeconds === undefined
      ? []
      : [{ tool: 'get_video_transcript', arguments: { ...given, fromSeconds: nextFromSeconds } }]
  const head = `language: ${language ?? 'unknown'}, source: ${source}, job: ${jobId}`
  const text = `${head}\n\n${segments.map(lineOf).join('\n')}${nextText(next)}`
  return answer(text, { status: 'completed', jobId, language, source, segments, next })
}

/** @throws VideoIntelligenceError invalid_request: the result has nothing at the path */
export function extractionAnswer(
  jobId: string,
  result: Record<string, unknown>,
  given: ExtractionArguments,
  maxTokens: number,
): CallToolResult {
  const { path = '', ...rest } = given
  const tokens = argumentTokens(rest)
  const repeated = tokens > MAX_ARGUMENT_TOKENS ? {} : rest
  // It is told twice, and no more than a handful of places are left out of one page.
  const room = (maxTokens - FRAME_TOKENS) / 2 - 4 * Math.min(tokens, MAX_ARGUMENT_TOKENS)
  const page = resultPage(result, path, room)
  const next = page.next.map((each): NextCall => {
    return { tool: 'extract_from_video', arguments: { ...repeated, path: each } }
  })
  const note = next.length > 0 && tokens > MAX_ARGUMENT_TOKENS ? '\n(with the other arguments of this call)' : ''
  const text = `${JSON.stringify(page.value)}${nextText(next)}${note}`
  return answer(text, { status: 'completed', jobId, path, result: page.value, next })
}

/** Captions are cut to this where a profile would be too large, characters. */
const SHORT_CAPTION = 200

export function profileAnswer(profile: TikTokProfile | InstagramProfile, maxTokens: number): CallToolResult {
  if (2 * tokensOf(JSON.stringify(profile)) + FRAME_TOKENS <= maxTokens) return plainAnswer(profile)
  const short = (text: string): string =>
    text.length <= SHORT_CAPTION ? text : `${text.slice(0, SHORT_CAPTION).toWellFormed()}…`
  const videos = profile.videos.map((video) => {
    const shortened = video as { title?: string | null; description?: string | null }
    return {
      ...video,
      ...(shortened.title == null ? {} : { title: short(shortened.title) }),
      ...(shortened.description == null ? {} : { description: short(shortened.description) }),
    }
  })
  return plainAnswer({ ...profile, videos })
}
