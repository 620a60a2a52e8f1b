import { expect } from 'chai'
import { failureOfMessage, failureRowOf, failureRows } from './failure.ts'

/** One message per phrase of the table, as yt-dlp 2026.10.26 writes it (shortened). */
const messages: [message: string, code: string, transient?: 'transient'][] = [
  ['reader: live and not ended', 'live_not_ended'],
  ['reader: too many bytes', 'media_too_large'],
  ['reader: no video in the post', 'media_unsupported'],
  ['reader: no canonical URL', 'media_unsupported'],
  ['reader: nothing found', 'upstream_error', 'transient'],
  [
    "Unable to connect to proxy: ('Unable to connect to proxy', OSError('Tunnel connection failed: 403 Forbidden'))",
    'upstream_error',
  ],
  ['Failed to perform, curl: (56) CONNECT tunnel failed, response 403.', 'upstream_error'],
  ['HTTP Error 403: Refused by the egress guard', 'upstream_error'],
  ['ERROR: Did not get any data blocks', 'platform_blocked', 'transient'],
  ['ERROR: [youtube] An8vtD1FDqs: This live event will begin in 3 hours.', 'live_not_ended'],
  ['ERROR: [youtube] An8vtD1FDqs: Premieres in 3 hours', 'live_not_ended'],
  ['ERROR: [twitter:broadcast] 1: This live broadcast has not yet started', 'live_not_ended'],
  ['ERROR: [twitter:spaces] 1: Twitter Space not started yet', 'live_not_ended'],
  ['ERROR: [twitter] 1841206275088290279: NSFW tweet requires authentication. Use --cookies', 'age_restricted'],
  ['ERROR: [twitter] 1: Twitter API says: Age-restricted adult content. This content might not', 'age_restricted'],
  ['ERROR: [TikTok] 7: This post may not be comfortable for some audiences. Log in for access', 'age_restricted'],
  ['ERROR: [Instagram] a: Restricted Video: You must be 18 years old or over to see this video', 'age_restricted'],
  ['ERROR: [youtube] a: Sign in to confirm your age. This video may be inappropriate', 'age_restricted'],
  ['ERROR: [youtube] a: Sign in to confirm you’re not a bot. Use --cookies', 'platform_blocked', 'transient'],
  ['ERROR: [youtube] a: Error. YouTube is requiring a captcha challenge', 'platform_blocked', 'transient'],
  [
    'ERROR: [youtube] a: All player responses are invalid. Your IP is likely being blocked by Youtube',
    'platform_blocked',
    'transient',
  ],
  ['ERROR: [youtube] a: The page needs to be reloaded.', 'platform_blocked', 'transient'],
  ['ERROR: [TikTok] 7: Unable to solve JS challenge; please report this issue on', 'platform_blocked', 'transient'],
  [
    'ERROR: [TikTok] 7: Unexpected response from webpage request; please report this issue on',
    'platform_blocked',
    'transient',
  ],
  ['ERROR: [youtube] a: Please sign in. Use --cookies', 'platform_blocked', 'transient'],
  [
    'ERROR: [youtube] a: The following content is not available on this app.. Watch on the latest version',
    'platform_blocked',
    'transient',
  ],
  ['ERROR: [twitter] 1: Error(s) while querying API: Rate limit exceeded.', 'platform_blocked', 'transient'],
  ['ERROR: [youtube] a: This video is private', 'video_private'],
  ['ERROR: [twitter] 1: Sorry, you are not authorized to see this status. Use --cookies', 'video_private'],
  ["ERROR: [youtube] a: Private video. Sign in if you've been granted access", 'video_private'],
  ["ERROR: [tiktok:user] a: This user's account is private. Log into an account", 'video_private'],
  ['ERROR: [TikTok] 7: You do not have permission to view this post. Log into an account', 'video_private'],
  ['ERROR: [twitter] 1: You are not authorized to view this protected tweet. Use --cookies', 'video_private'],
  ['ERROR: [twitter] 1: Twitter API says: this account owner limits who can view their Posts', 'video_private'],
  [
    'ERROR: [Instagram] a: This content is only available for registered users who follow this account',
    'video_private',
  ],
  ["ERROR: [youtube] a: This video is available to this channel's members on level: Fans", 'login_required'],
  ['ERROR: [youtube] a: Join this channel to get access to members-only content', 'login_required'],
  ['ERROR: [youtube] a: This video requires payment to watch.', 'login_required'],
  ['ERROR: [Instagram] a: The provided Instagram account cookies are no longer valid', 'login_required'],
  ['ERROR: [youtube] a: The uploader has not made this video available in your country', 'geo_blocked'],
  ['ERROR: [TikTok] 7: This video is not available from your location due to geo restriction', 'geo_blocked'],
  ['ERROR: [twitter] 1: Twitter API says: This Post from @a has been withheld in Germany in response', 'geo_blocked'],
  ['ERROR: [TikTok] 7: Your IP address is blocked from accessing this post', 'platform_blocked', 'transient'],
  ['ERROR: [Instagram] a: The webpage request was redirected to the login page.', 'platform_blocked', 'transient'],
  ['ERROR: [TikTok] 7: TikTok is requiring login for access to this content. Use', 'platform_blocked', 'transient'],
  ['ERROR: [youtube] a: The current session has been rate-limited by YouTube', 'platform_blocked', 'transient'],
  ['ERROR: [facebook] 1: Unable to download webpage: HTTP Error 403: Forbidden', 'platform_blocked', 'transient'],
  ['ERROR: [twitter] 1: HTTP Error 429: Too Many Requests', 'platform_blocked', 'transient'],
  [
    'ERROR: [youtube] a: Failed to extract any player response; please report this issue on  x after HTTP Error 429',
    'platform_blocked',
    'transient',
  ],
  ['HTTP Error 403: Forbidden', 'platform_blocked', 'transient'],
  ['ERROR: [Instagram] a: Please wait a few minutes before you try again.', 'platform_blocked', 'transient'],
  ['ERROR: [Instagram] a: Instagram API is not granting access', 'platform_blocked', 'transient'],
  ['ERROR: [facebook] 1: This video is only available for registered users. Use --cookies', 'login_required'],
  ['ERROR: [facebook] 1: You must log in to continue', 'login_required'],
  ['ERROR: [Instagram] a: Instagram sent an empty media response. Check if this post', 'login_required'],
  ['ERROR: [facebook] 1: Cannot parse data; please report this issue on', 'login_required'],
  ['ERROR: [youtube] a: This video is unavailable', 'video_unavailable'],
  ['ERROR: [twitter:broadcast] 1: Broadcast no longer exists', 'video_unavailable'],
  ['ERROR: [twitter] 1: Twitter API says: This Post is unavailable', 'video_unavailable'],
  ['ERROR: [twitter] 1: Twitter API says: This Post violated the X Rules', 'video_unavailable'],
  ['ERROR: [twitter:spaces] 1: Twitter Space not found', 'video_unavailable'],
  ['ERROR: [twitter:spaces] 1: Twitter Space ended and replay is disabled', 'video_unavailable'],
  ['ERROR: [youtube] a: Video unavailable. The uploader has closed', 'video_unavailable'],
  ['ERROR: [twitter] 1: Twitter API says: This Post was deleted by the Post author', 'video_unavailable'],
  [
    'ERROR: [TikTok] 7: Video not available, status code 10240; please report this issue on  https://github.com',
    'video_unavailable',
  ],
  ['ERROR: [twitter] 1: Error(s) while querying API: No status found with that ID.', 'video_unavailable'],
  ['ERROR: [twitter] 1: No video could be found in this tweet', 'video_unavailable'],
  ['ERROR: [twitter] 1: Requested tweet is unavailable', 'video_unavailable'],
  ['ERROR: [twitter] 1: Suspended', 'video_unavailable'],
  ['ERROR: [facebook] 1: The video is not available, Facebook said: "The link you followed may', 'video_unavailable'],
  ['ERROR: [twitter] 1: Twitter API says: This Post is from a suspended account', 'video_unavailable'],
  ['ERROR: [youtube] a: This video has been removed by the uploader', 'video_unavailable'],
  ['ERROR: [youtube] a: The YouTube account associated with this video has been terminated.', 'video_unavailable'],
  ['ERROR: [facebook] 1: Unable to download webpage: HTTP Error 404: Not Found', 'video_unavailable'],
  ['ERROR: [Instagram] a: There is no video in this post', 'media_unsupported'],
  ['ERROR: Unsupported URL: https://vimeo.com/1', 'media_unsupported'],
  ['ERROR: No suitable extractor (Vimeo) found for URL https://vimeo.com/1', 'media_unsupported'],
  ["ERROR: [generic] 'x' is not a valid URL", 'media_unsupported'],
  ['ERROR: [facebook] 1: This video is DRM protected', 'media_unsupported'],
  ['ERROR: [TikTok] 7: Unable to download webpage: (caused by SSLError); please report', 'upstream_error', 'transient'],
  ['HTTP Error 503: Service Unavailable', 'upstream_error', 'transient'],
  ['The read operation timed out', 'upstream_error', 'transient'],
  [
    'ERROR: [twitter] 1: Error(s) while querying API: Timeout: Unspecified; please report this issue on',
    'upstream_error',
    'transient',
  ],
  [
    'ERROR: [twitter] 1: Syndication endpoint returned empty JSON response; please report this issue on',
    'upstream_error',
    'transient',
  ],
  ['ERROR: [youtube] a: Unable to extract x; please report this issue on  https', 'upstream_error', 'transient'],
]

describe('what the messages of yt-dlp mean', () => {
  for (const [message, code, transient] of messages) {
    it(`${code}: ${message.replace(/^ERROR: /, '')}`, () => {
      expect(failureOfMessage(message)).to.include({ code, transient: transient !== undefined })
    })
  }

  it('has a message for every phrase of the table', () => {
    const unproven = failureRows.flatMap((row) =>
      row.says.filter((words) => !messages.some(([text]) => failureRowOf(text) === row && words.test(plain(text)))),
    )
    expect(unproven.map(String)).to.deep.equal([])
  })

  it('distinguishes a broken reader from a broken connection', () => {
    expect(failureRowOf('ERROR: [youtube] a: Unable to extract x; please report this issue').broken).to.equal(true)
    const closed = 'ERROR: [TikTok] 7: Unable to download webpage: The read operation timed out'
    expect(failureRowOf(closed)).to.include({ code: 'upstream_error', transient: true }).and.not.property('broken')
  })

  it('does not mistake an id or a refusal of our own proxy for a refusal of the platform', () => {
    for (const message of [
      'ERROR: [TikTok] HTTP-Error-403: timed out',
      'ERROR: [TikTok] 7: Unable to connect to proxy: Tunnel connection failed: 403 Forbidden',
    ])
      expect(failureOfMessage(message).code).to.equal('upstream_error')
  })

  it('keeps addresses out of the cause, which is logged', () => {
    const { cause, message } = failureOfMessage('ERROR: no proxy http://u:secret@127.0.0.1:9 for https://cdn/a?sig=b')
    expect(String(cause)).to.equal('Error: ERROR: no proxy (address) for (address)')
    expect(message).to.not.include('secret')
  })

  it('looks for addresses only at the beginning of a message, which may contain a whole page', () => {
    const started = performance.now()
    expect(String(failureOfMessage(`ERROR: ${'a.'.repeat(100_000)}`).cause)).to.have.length.below(600)
    expect(performance.now() - started).to.be.below(10_000)
  })
})

const plain = (text: string): string =>
  text
    .replace('’', "'")
    .replace(/^ERROR: /, '')
    .replace(/^\[[\w:]+\] (?:[^\s:]+: )?/, '')
