import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { CaptionTrackInfo, FormatInfo, VideoInfo } from './info.ts'
import { lacksOf } from './warnings.ts'

type Raw = Record<string, unknown>

const liveStatuses = ['is_live', 'is_upcoming', 'was_live', 'post_live', 'not_live'] as const

/**
 * Reads yt-dlp's info dictionary as trimmed by trim.py. A field of an unexpected type becomes null.
 * @throws StepError transient `upstream_error` if it is not a video at all
 */
export function toInfo(raw: unknown): VideoInfo {
  const id = isRaw(raw) ? textOf(raw.id) : null
  if (!isRaw(raw) || id === null)
    throw new StepError('upstream_error', { transient: true, message: 'The reader gave no video.' })
  return {
    id,
    displayId: textOf(raw.display_id),
    title: textOf(raw.title),
    description: textOf(raw.description),
    channel: textOf(raw.channel),
    channelId: textOf(raw.channel_id),
    uploader: textOf(raw.uploader),
    uploaderId: textOf(raw.uploader_id),
    durationSeconds: amountOf(raw.duration),
    viewCount: amountOf(raw.view_count),
    likeCount: amountOf(raw.like_count),
    commentCount: amountOf(raw.comment_count),
    repostCount: amountOf(raw.repost_count),
    thumbnail: textOf(raw.thumbnail),
    timestamp: amountOf(raw.timestamp) ?? startOfDay(raw.upload_date),
    liveStatus: liveStatuses.find((status) => status === raw.live_status) ?? null,
    tags: tagsOf(raw.tags),
    language: textOf(raw.language),
    formats: rawsOf(raw.formats).flatMap(toFormat),
    captions: rawsOf(raw.captions).flatMap(toTracks),
    chapters: chaptersOf(raw),
    lacks: lacksOf(textsOf(raw.warnings)),
  }
}

function toFormat(raw: Raw): FormatInfo[] {
  const [formatId, ext, protocol] = [textOf(raw.format_id), textOf(raw.ext), textOf(raw.protocol)]
  if (formatId === null || ext === null || protocol === null) return []
  const kilobits = amountOf(raw.tbr)
  const format = {
    formatId,
    ext,
    vcodec: textOf(raw.vcodec),
    acodec: textOf(raw.acodec),
    width: amountOf(raw.width),
    height: amountOf(raw.height),
    bytes: amountOf(raw.filesize) ?? amountOf(raw.filesize_approx),
    bitrate: kilobits === null ? null : Math.round(kilobits * 1000),
    language: textOf(raw.language),
    languagePreference: typeof raw.language_preference === 'number' ? raw.language_preference : null,
    protocol,
  }
  return [format]
}

function toTracks(raw: Raw): CaptionTrackInfo[] {
  const language = textOf(raw.language)
  if (language === null || !Array.isArray(raw.exts)) return []
  const [automatic, translated] = [raw.automatic === true, raw.translated === true]
  return raw.exts.flatMap((ext) => (typeof ext === 'string' ? [{ language, automatic, ext, translated }] : []))
}

/** A chapter ends where the next begins. Leaves out chapters without a beginning or a title. Null if none is left. */
function chaptersOf({ chapters, duration }: Raw): VideoInfo['chapters'] {
  const begun = rawsOf(chapters).flatMap(({ start_time, end_time, title }) => {
    const [start, named] = [amountOf(start_time), textOf(title)]
    return start === null || named === null ? [] : [{ start, end: amountOf(end_time), title: named }]
  })
  if (begun.length === 0) return null
  return begun.map(({ start, end, title }, at) => ({
    start,
    end: end ?? begun[at + 1]?.start ?? amountOf(duration),
    title,
  }))
}

const isRaw = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value)

const rawsOf = (value: unknown): Raw[] => (Array.isArray(value) ? value.filter(isRaw) : [])

export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

/** yt-dlp gives an empty list even if the platform said nothing about tags. */
function tagsOf(value: unknown): string[] | null {
  const tags = textsOf(value)
  return tags.length === 0 ? null : tags
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

const amountOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null

/** `20210503` as seconds since 1970. */
function startOfDay(date: unknown): number | null {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(String(date)) ?? []
  const at = Date.parse(`${year}-${month}-${day}T00:00:00Z`)
  return Number.isNaN(at) ? null : at / 1000
}
