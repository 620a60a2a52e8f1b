import { failureRowOf, redacted } from './failure.ts'

/** What a warning of yt-dlp means. */
export type WarningMeaning =
  /** The video has captions, and the platform withholds them. */
  | 'captions_withheld'
  /** The list or text of the captions could not be read. */
  | 'captions_unread'
  /** Some formats were withheld, or could not be read. */
  | 'formats_missing'
  /** An answer that lists some formats, but never captions, could not be read. */
  | 'formats_unread'
  /** One of several answers about the video could not be read: captions and formats may be missing. */
  | 'answer_missing'
  /** A detail is missing. Any field may be. */
  | 'detail_missing'
  /** One part of a post could not be read. */
  | 'part_failed'
  /** yt-dlp tries again, or another way, and reports if that fails too. */
  | 'tried_again'
  /** The operator's account does not work as it should. */
  | 'account'
  /** This installation, or the service that makes proof tokens, does not work as it should. */
  | 'setup'
  /** We have not classified it. */
  | 'unknown'

type WarningRow = { means: Exclude<WarningMeaning, 'unknown'>; says: readonly RegExp[] }

/** The meaning of yt-dlp's warnings, specific before generic: the first row that fits counts. */
export const warningRows: readonly WarningRow[] = [
  {
    means: 'captions_withheld',
    says: [/missing subtitles languages because a PO token was not provided/, /subtitles require a PO Token which was/],
  },
  {
    means: 'setup',
    says: [
      // the makers of proof tokens, and of the answers to YouTube's challenges
      /\[(?:pot|jsc)\b/,
      /Unable to fetch (?:GVS|Player) PO Token|Got a GVS PO Token .* but missing/,
      /^Invalid po_token configuration/,
      /JavaScript runtime|[Cc]hallenge solver|JS Challenge (?:Provider|response)/,
      /impersonat/i,
      /^Deprecated Feature: |^DeprecationWarning: |is deprecated\. Use/,
      /version .* is older than|You are using an outdated version/,
      /^Ignoring unsupported|^Skipping unsupported client|^Invalid (?:webpage_client|player JS)/,
      /has been marked as broken|ffmpeg not found|delegated to|No working app info/,
      /^Writing cache to|^Cache retrieval from|^Unable to delete (?:temporary )?file/,
      /developer option intended for debugging|^Assuming --restrict-filenames/,
      /^Unable to load request from disk|^Preferring .* translated fields/,
    ],
  },
  {
    means: 'account',
    says: [
      /cookies are no longer valid/,
      /^Login with password is not supported|user PREF cookie|^Failed to parse \.netrc/,
      /does not support cookies|unscoped cookie/,
    ],
  },
  {
    means: 'captions_unread',
    says: [
      /Unable to download (?:captions|video subtitles)/,
      /Ignoring subtitle tracks found in the/,
      /Found subtitles in multiple periods/,
    ],
  },
  {
    means: 'formats_missing',
    says: [
      /formats require a GVS PO Token which was not provided/,
      /formats have been skipped as they are|applies DRM to all videos/,
      /[Ss]ome formats may be missing/,
      /only images are available for download/i,
      /"url" field is missing or empty - skipping format/,
      /^Unknown MIME type/,
      /This video is DRM protected|^Requested format is not available|^No video formats found/,
      /SABR-only|^Unsupported features have been detected|^The stream has AES-128|decryption will be performed natively|^Live HLS streams/,
    ],
  },
  {
    means: 'detail_missing',
    says: [
      // these are about the tracks that yt-dlp itself would have chosen
      /subtitles not available for|^No subtitle format found/,
      /^No title found in player responses|^Not all metadata or media is available via syndication/,
      /^Extractor failed to obtain "title"|^unable to extract |^Failed to extract .*: Could not parse value/,
      /contains broken data\. Not extracting chapters|^Malformed storyboard/,
      /^Cannot parse localized time text|^Release time of video is not known|^Video should already be available/,
      /field is not .* forcing .* conversion|^"duration" field is negative/,
      /[Cc]omment/,
      /is not a supported codec|formats are possibly damaged/,
      /block found in the middle of the stream/,
      /^Unable to mark .*watched|^Unable to download .*thumbnail/,
      /^Starting download from the last 120 hours/,
      /^You[Tt]ube said: (?!ERROR)/,
    ],
  },
  {
    means: 'tried_again',
    says: [
      /\. Retrying\b|Retrying extraction with/,
      /falling back to|; trying with |Re-extracting data|re-fetching using API|Restarting from the beginning/,
      // yt-dlp then asks Instagram in two other ways
      /^No CSRF token set by Instagram API|^Instagram API is not granting access/,
    ],
  },
  {
    means: 'answer_missing',
    says: [
      // the answers that list the captions of YouTube and TikTok; TikTok may send a challenge first
      /Unable to extract (?:.*player response|universal data|challenge data)/,
      /^Unable to solve JS challenge|challenge (?:expected digest|base hash|cookie name)/,
    ],
  },
  {
    means: 'formats_unread',
    says: [
      /^Unable to download format|^Failed to obtain m3u8 URL|^Fragment request failed/,
      /^Cannot extract signature timestamp|Unable to extract /,
    ],
  },
  {
    means: 'answer_missing',
    says: [
      /(?:Unable|Failed) to (?:download|obtain|parse|connect)|HTTP Error |timed out|Error reading response/,
      /Giving up after \d+ retries/,
      /^You[Tt]ube said: ERROR/,
      /^Skipping player responses from/,
      /^Response data has no m3u header|^Unable to resolve Nuxt|^Error resolving Nuxt/,
      /^Unknown typename|^Extractor .* returned nothing|returned a compat_list result/,
      /^TikTok is requiring login|^This post may not be comfortable/,
      /account is either private or has embedding disabled/,
      /Expecting value: line/,
    ],
  },
]

/** `[youtube] dQw4w9WgXcQ: `, yt-dlp's prefix for messages of extractors. */
const beginning = /^(?:\[(?!pot\b|jsc\b)[\w:]+\] )?(?:[\w-]+: )?/

/** The meaning of a warning of yt-dlp. Errors after which it continued come as warnings too. */
export function meaningOf(warning: string): WarningMeaning {
  if (warning.startsWith('ERROR: ')) return failureRowOf(warning).says.length > 0 ? 'part_failed' : 'unknown'
  const said = warning.replace(beginning, '')
  const row = warningRows.find(({ says }) => says.some((words) => words.test(said) || words.test(warning)))
  return row?.means ?? 'unknown'
}

/** `withheld`: it exists, and the platform withholds it. `unread`: it may exist, and could not be read. */
export type Lack = 'withheld' | 'unread'

/** The parts that may be missing from a video's info, according to the warnings while reading it. */
export type Lacks = { captions: Lack | null; formats: Lack | null }

/** @param warnings of yt-dlp, while it read a video */
export function lacksOf(warnings: readonly string[]): Lacks {
  const meanings = warnings.map(meaningOf)
  const has = (...some: WarningMeaning[]): boolean => some.some((one) => meanings.includes(one))
  const hidesCaptions = meanings.some((one, i) => one === 'answer_missing' && !withoutCaptions.test(warnings[i] ?? ''))
  return {
    captions: has('captions_withheld') ? 'withheld' : has('captions_unread') || hidesCaptions ? 'unread' : null,
    formats: has('formats_missing') ? 'withheld' : has('formats_unread', 'answer_missing') ? 'unread' : null,
  }
}

/** yt-dlp never finds captions on Instagram, so none of its answers can have contained any. */
const withoutCaptions = /^\[[Ii]nstagram\b/

/** A long run without spaces: a token, a signature, a path or a query. */
const SECRET = /[\w%~.&?=/+-]{32,}/g

/** A warning that may be logged: also without tokens, and without the parts of an address that may be signed. */
export const loggedWarning = (warning: string, url: string): string =>
  redacted(warning, url).replace(SECRET, '(secret)')
