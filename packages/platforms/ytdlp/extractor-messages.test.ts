import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'chai'
import { python } from '#test/doubles/python.ts'
import { failureRowOf } from './failure.ts'

/**
 * Our interpretation of each message that the extractors of the pinned yt-dlp can raise for a video: the failure code,
 * whether it is a refusal of us, and whether operators are alerted. Messages are cut; `{}` is known only at run time. A
 * message that is only `{}` is the platform's own text, and `failureRows` interprets it (failure.test.ts). After an
 * upgrade: read the new messages in its source, decide, and write the decision here.
 */
const decided: Record<string, [message: string, decision: string][]> = {
  InfoExtractor: [
    [' (Message: "{}")', 'upstream_error'],
    [' Visit {} for more details', 'upstream_error'],
    ['A network error has occurred.', 'upstream_error'],
    ['Access to this webpage has been blocked by Indian censorship. Use a VPN or proxy server (w', 'upstream_error'],
    ['Access to this webpage has been blocked by Websense filtering software in your network.', 'upstream_error'],
    ['Access to this webpage has been blocked by decision of the Russian government. Visit http:', 'upstream_error'],
    ['An extractor error has occurred.; please report this issue', 'upstream_error, alarm'],
    ['Error resolving Nuxt JSON: {}; please report this issue', 'upstream_error, alarm'],
    ['Failed to download m3u8 information; please report this issue', 'upstream_error, alarm'],
    ['Failed to extract {}: Could not parse value {}; please report this issue', 'upstream_error, alarm'],
    ['Failed to obtain m3u8 URL; please report this issue', 'upstream_error, alarm'],
    ['Invalid netrc machine: {}', 'upstream_error'],
    ['Missing netrc_machine and {}._NETRC_MACHINE; please report this issue', 'upstream_error, alarm'],
    ['Response data has no m3u header; please report this issue', 'upstream_error, alarm'],
    ['This video is DRM protected', 'media_unsupported'],
    ['Unable to extract JSON-LD; please report this issue', 'upstream_error, alarm'],
    ['Unable to extract {} - Failed to parse JSON; please report this issue', 'upstream_error, alarm'],
    ['Unable to extract {}; please report this issue', 'upstream_error, alarm'],
    ['Unable to resolve Nuxt JSON data: invalid input; please report this issue', 'upstream_error, alarm'],
    ['{}', 'upstream_error'],
    ['{}: Error reading response: {}; please report this issue', 'upstream_error, alarm'],
    ['{}: {}; please report this issue', 'upstream_error, alarm'],
    ['{}; please report this issue', 'upstream_error, alarm'],
  ],
  YoutubeBaseInfoExtractor: [
    ['Incomplete data received', 'upstream_error'],
    ['Login details are needed to download this content. {}', 'upstream_error'],
    ['Login with OAuth is no longer supported. {}', 'upstream_error'],
    ['Unsupported language code: {}. Supported language codes (case-sensitive): {}.', 'upstream_error'],
    ['YouTube said: {}', 'upstream_error'],
  ],
  YoutubeIE: [
    ['', 'upstream_error'],
    ['. YouTube is requiring a captcha challenge before playback', 'platform_blocked, of us'],
    ['. {}', 'upstream_error'],
    ['All player responses are invalid. Your IP is likely being blocked by Youtube', 'platform_blocked, of us'],
    ['Cannot extract signature timestamp without player url; please report this issue', 'upstream_error, alarm'],
    ['Cannot identify player {}; please report this issue', 'upstream_error, alarm'],
    ['Failed to extract any player response; please report this issue', 'upstream_error, alarm'],
    ['Incomplete data received for comment reply thread. Pass --ignore-errors to ignore and allo', 'upstream_error'],
    ['Invalid URL: {}; please report this issue', 'upstream_error, alarm'],
    ['No player clients have been requested', 'upstream_error'],
    ['{}', 'upstream_error'],
    ['{}. {}', 'upstream_error'],
    [
      '{}. {} has been rate-limited by YouTube for up to an hour. It is recommended to use `-t sl',
      'platform_blocked, of us',
    ],
  ],
  TikTokBaseIE: [
    ['No working app info is available', 'upstream_error'],
    ['This post may not be comfortable for some audiences. Log in for access', 'age_restricted'],
    [
      'This post may not be comfortable for some audiences. Log in for access; please report this issue',
      'age_restricted',
    ],
    ['TikTok is requiring login for access to this content', 'platform_blocked'],
    ['TikTok is requiring login for access to this content; please report this issue', 'platform_blocked'],
    ['Unable to extract aweme detail info; please report this issue', 'upstream_error, alarm'],
    ['Unable to extract challenge data; please report this issue', 'upstream_error, alarm'],
    ['Unable to extract universal data for rehydration', 'upstream_error'],
    ['Unable to extract universal data for rehydration; please report this issue', 'upstream_error, alarm'],
    ['Unable to solve JS challenge; please report this issue', 'platform_blocked, of us'],
    ['Unexpected response from webpage request; please report this issue', 'platform_blocked, of us'],
    ['{}', 'upstream_error'],
  ],
  TikTokIE: [
    ['Video not available, status code {}; please report this issue', 'video_unavailable'],
    ['You do not have permission to view this post. Log into an account that has access', 'video_private'],
    ['Your IP address is blocked from accessing this post', 'platform_blocked, of us'],
  ],
  InstagramIE: [
    ['Instagram sent an empty media response. Check if this post is accessible in your browser w', 'login_required'],
    [
      'The webpage request was redirected to the login page. You have exceeded the rate-limit for',
      'platform_blocked, of us',
    ],
    ['There is no video in this post', 'media_unsupported'],
    ['This content is only available for registered users who follow this account', 'video_private'],
    ['{}', 'upstream_error'],
  ],
  TwitterBaseIE: [
    ['Could not retrieve guest token; please report this issue', 'upstream_error, alarm'],
    ['Error(s) while querying API: {}; please report this issue', 'upstream_error, alarm'],
    ['{}', 'upstream_error'],
  ],
  TwitterIE: [
    ['Media #{} is not a video', 'upstream_error'],
    ['NSFW tweet requires authentication', 'age_restricted'],
    ['No video could be found in this tweet', 'video_unavailable'],
    ['Requested tweet is unavailable', 'video_unavailable'],
    ['Syndication endpoint returned empty JSON response; please report this issue', 'upstream_error'],
    ['Twitter API says: {}', 'upstream_error'],
    ['Video #{} is unavailable', 'upstream_error'],
    ['You are not authorized to view this protected tweet', 'video_private'],
    ['{}', 'upstream_error'],
    ['{} is not a valid API selection', 'upstream_error'],
  ],
  TwitterBroadcastIE: [
    ['Broadcast no longer exists', 'video_unavailable'],
    ['This live broadcast has not yet started', 'live_not_ended'],
    ['This video is not available from your location due to geo restriction', 'geo_blocked'],
  ],
  TwitterSpacesIE: [
    ['Twitter Space ended and replay is disabled', 'video_unavailable'],
    ['Twitter Space ended but not downloadable yet', 'live_not_ended'],
    ['Twitter Space not found', 'video_unavailable'],
    ['Twitter Space not started yet', 'live_not_ended'],
  ],
  FacebookIE: [
    ['Cannot parse data; please report this issue', 'login_required'],
    ['The video is not available, Facebook said: "{}"', 'video_unavailable'],
    ['This video is only available for registered users', 'login_required'],
  ],
}

/** Classes for pages that never reach yt-dlp: their messages mean nothing to us. */
const neverRead = [
  'DouyinIE',
  'FacebookAdsIE',
  'FacebookRedirectURLIE',
  'InstagramStoryIE',
  'SearchInfoExtractor',
  'TikTokLiveIE',
  'TikTokUserIE',
  'TikTokVMIE',
  'UnsupportedURLIE',
  'YoutubeClipIE',
  'YoutubeConsentRedirectIE',
  'YoutubeTabBaseInfoExtractor',
  'YoutubeTabIE',
  'YoutubeTruncatedIDIE',
  'YoutubeTruncatedURLIE',
]

const SCRIPT = join(import.meta.dirname, 'extractor_messages.py')

describe('what the extractors of the pinned yt-dlp can say', () => {
  let raised: [name: string, messages: string[]][]
  before(() => {
    raised = Object.entries(JSON.parse(execFileSync(python, [SCRIPT], { encoding: 'utf8' })))
  })

  it('has a decision for each message', () => {
    const read = raised.filter(([name]) => !neverRead.includes(name))
    const known = Object.entries(decided).map(([name, messages]) => [name, messages.map(([message]) => message)])
    expect(Object.fromEntries(read)).to.deep.equal(Object.fromEntries(known))
  })

  it('means what was decided', () => {
    for (const [name, messages] of Object.entries(decided))
      for (const [message, decision] of messages) expect(meaningOf(message), `${name}: ${message}`).to.equal(decision)
  })
})

function meaningOf(message: string): string {
  const { code, ofUs, broken } = failureRowOf(message.replaceAll('{}', '7'))
  return [code, ...(ofUs ? ['of us'] : []), ...(broken ? ['alarm'] : [])].join(', ')
}
