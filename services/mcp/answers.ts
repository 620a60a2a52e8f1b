import type { CallToolResult } from '@modelcontextprotocol/server'
import type { InstagramProfile, TikTokProfile, TranscriptResult } from '#contracts/generated/http.ts'
import type { Metadata, ProfileQuestion } from '#packages/client/client.ts'
import { resultPage } from './result-path.ts'
import { tokensOf } from './tokens.ts'
import type { ToolName } from './tool-cards.ts'
import { lineOf, transcriptPage } from './transcript-page.ts'
import { ownBlock, shownJson, untrustedFields, videoBlock } from './video-text.ts'

type NextCall = { tool: ToolName; arguments: Record<string, unknown> }

/** How much of the prompt the next call repeats, characters. */
const POINTER_PROMPT = 200

/** Room for the text around the parts of a result, tokens. */
const FRAME_TOKENS = 400

/** `untrusted`: the fields of `structured` that strangers wrote. */
const answer = (
  content: CallToolResult['content'],
  structured: Record<string, unknown>,
  untrusted: readonly string[],
): CallToolResult => ({ content, structuredContent: structured, _meta: untrustedFields(...untrusted) })

/** A value that is always small. */
export const plainAnswer = (value: object): CallToolResult => valueAnswer(value, [])

/** A video's metadata. Unreadable fields are named, so that agents do not take them for absent. */
export function metadataAnswer({ incomplete, ...metadata }: Metadata): CallToolResult {
  if (incomplete === undefined) return plainAnswer(metadata)
  const named = incomplete.join(', ')
  const content = [
    ownBlock(`The platform does not answer in full now: ${named} could not be read. The next block is what it tells.`),
    videoBlock(JSON.stringify(metadata)),
  ]
  return answer(content, { ...metadata, incomplete }, Object.keys(metadata))
}

/** A value that strangers wrote, and the calls for its missing parts. */
function valueAnswer(value: object, next: readonly NextCall[]): CallToolResult {
  const content = [
    ownBlock(`The next block is the platform's data.${nextText(next)}`),
    videoBlock(JSON.stringify(value)),
  ]
  return answer(content, next.length === 0 ? { ...value } : { ...value, next }, Object.keys(value))
}

const callLines = (calls: readonly NextCall[]): string =>
  calls.map(({ tool, arguments: given }) => `${tool} ${shownJson(given)}`).join('\n')

function nextText(calls: readonly NextCall[]): string {
  if (calls.length === 0) return ''
  return `\n\nThe result is cut. For the rest, free of charge, call:\n${callLines(calls)}`
}

const jsonTokens = (value: object): number => tokensOf(shownJson(value))

/**
 * The arguments that a next call repeats: the required ones, with a long prompt cut, and the job. The job replaces all
 * other arguments, because a schema may be as large as a page. Reading its result again is free at any time.
 */
type Pointer = { url: string; prompt?: string; jobId: string }

export type TranscriptArguments = {
  url: string
  jobId?: string
  mode?: 'native' | 'generate' | 'auto'
  lang?: string
  strictLang?: boolean
  translate?: boolean
  vocabulary?: string
  fromSeconds?: number
  toSeconds?: number
}

export type ExtractionArguments = {
  url: string
  jobId?: string
  prompt: string
  lang?: string
  strictLang?: boolean
  translate?: boolean
  vocabulary?: string
  schema?: Record<string, unknown>
  path?: string
}

export type JobArguments = TranscriptArguments | ExtractionArguments

const cutPrompt = (prompt: string): string => [...prompt].slice(0, POINTER_PROMPT).join('')

/** The arguments of the call that resumes a job. */
function resuming(given: JobArguments, jobId: string): Record<string, unknown> {
  const { url, fromSeconds, toSeconds, prompt, path } = given as TranscriptArguments & ExtractionArguments
  const part = Object.entries({ fromSeconds, toSeconds, path }).filter(([, value]) => value !== undefined)
  return { url, ...(prompt !== undefined && { prompt: cutPrompt(prompt) }), jobId, ...Object.fromEntries(part) }
}

/** @param jobId undefined if it is unknown whether a job was accepted. The same call then finds it or begins it */
export function queuedAnswer(
  tool: ToolName,
  given: JobArguments,
  jobId: string | undefined,
  maxTokens: number,
): CallToolResult {
  const again: NextCall = { tool, arguments: jobId === undefined ? { ...given } : resuming(given, jobId) }
  const next = jsonTokens(again) < (maxTokens - FRAME_TOKENS) / 2 ? [again] : []
  const which = jobId === undefined ? 'The job' : `Job ${jobId}`
  const text = `status: queued\n${which} is not finished. Call again with the same arguments: that resumes it, and is not charged again.`
  const content = [ownBlock(next.length === 0 ? text : `${text} The next call:\n${callLines(next)}`)]
  return answer(content, { status: 'queued', jobId: jobId ?? null, next }, [])
}

/** A language for our own text. The platform supplies the name, so it is repeated only if it is a language tag. */
const tagOf = (language: string | null): string =>
  /^[A-Za-z0-9-]{1,35}$/.test(language ?? '') ? `${language}` : 'unknown'

export function transcriptAnswer(
  jobId: string,
  transcript: TranscriptResult,
  given: TranscriptArguments,
  maxTokens: number,
): CallToolResult {
  const { language, languageProbability, confidence, source } = transcript
  const { url, toSeconds } = given
  const pointer: Pointer = { url, jobId, ...(toSeconds !== undefined && { toSeconds }) }
  const room = maxTokens - FRAME_TOKENS - 2 * jsonTokens(pointer)
  const { segments, nextFromSeconds } = transcriptPage(transcript, given, room)
  const next: NextCall[] =
    nextFromSeconds === undefined
      ? []
      : [{ tool: 'get_video_transcript', arguments: { ...pointer, fromSeconds: nextFromSeconds } }]
  const head = `language: ${tagOf(language)}, source: ${source}, job: ${jobId}`
  const content = [ownBlock(`${head}${nextText(next)}`), videoBlock(...segments.map(lineOf))]
  const sureness = {
    ...(languageProbability !== undefined && { languageProbability }),
    ...(confidence !== undefined && { confidence }),
  }
  const structured = { status: 'completed', jobId, language, ...sureness, source, segments, next }
  return answer(content, structured, ['language', 'segments'])
}

/** @throws VideoIntelligenceError invalid_request: the result has nothing at the path */
export function extractionAnswer(
  jobId: string,
  result: Record<string, unknown>,
  given: ExtractionArguments,
  maxTokens: number,
): CallToolResult {
  const { url, prompt, path = '' } = given
  const pointer: Pointer = { url, prompt: cutPrompt(prompt), jobId }
  // The answer has the result twice. A page leaves out only a few places, each with a next call.
  const room = (maxTokens - FRAME_TOKENS) / 2 - 4 * jsonTokens(pointer)
  const page = resultPage(result, path, room)
  const next = page.next.map(
    (each): NextCall => ({ tool: 'extract_from_video', arguments: { ...pointer, path: each } }),
  )
  const content = [ownBlock(`job: ${jobId}${nextText(next)}`), videoBlock(JSON.stringify(page.value))]
  return answer(content, { status: 'completed', jobId, path, result: page.value, next }, ['result'])
}

export type Profile = TikTokProfile | InstagramProfile
export type ProfileArguments = ProfileQuestion & { from?: number }

/** A profile with as many of its posts as fit, from number `from`, and at least one. */
export function profileAnswer(
  tool: ToolName,
  profile: Profile,
  given: ProfileArguments,
  maxTokens: number,
): CallToolResult {
  const { from = 0 } = given
  const posts = profile.videos.slice(from)
  const tokensAround = jsonTokens({ ...profile, videos: [] }) + jsonTokens(given)
  let room = (maxTokens - FRAME_TOKENS) / 2 - tokensAround
  let count = 0
  for (const post of posts) {
    room -= jsonTokens(post) + 1
    if (room < 0 && count > 0) break
    count++
  }
  const shown = { ...profile, videos: posts.slice(0, count) }
  const isWhole = count === posts.length
  return valueAnswer(shown, isWhole ? [] : [{ tool, arguments: { ...given, from: from + count } }])
}
