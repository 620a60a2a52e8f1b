import { expect } from 'chai'
import { failureOfMessage, failureRowOf, failureRows } from './failure.ts'

/** By meaning: one message per phrase of the table, as yt-dlp 2026.10.26 writes it (shortened). */
const messages: Record<string, readonly string[]> = {
  live_not_ended: [
    'reader: live and not ended',
    'ERROR: [youtube] An8vtD1FDqs: This live event will begin in 3 hours.',
    'ERROR: [youtube] An8vtD1FDqs: Premieres in 3 hours',
    'ERROR: [twitter:broadcast] 1: This live broadcast has not yet started',
    'ERROR: [twitter:spaces] 1: Twitter Space not started yet',
  ],
  media_too_large: ['reader: too many bytes'],
  media_unsupported: [
    'reader: no video in the post',
    'reader: no canonical URL',
    'ERROR: [Instagram] a: There is no video in this post',
    'ERROR: Unsupported URL: https://vimeo.com/1',
    'ERROR: No suitable extractor (Vimeo) found for URL https://vimeo.com/1',
    "ERROR: [generic] 'x' is not a valid URL",
    'ERROR: [facebook] 1: This video is DRM protected',
  ],
  video_private: [
    'ERROR: [TikTok] 7: reader: only followers may see it',
    'ERROR: [youtube] a: This video is private',
    'ERROR: [twitter] 1: Sorry, you are not authorized to see this status. Use --cookies',
    "ERROR: [youtube] a: Private video. Sign in if you've been granted access",
    "ERROR: [tiktok:user] a: This user's account is private. Log into an account",
    'ERROR: [TikTok] 7: You do not have permission to view this post. Log into an account',
    'ERROR: [twitter] 1: You are not authorized to view this protected tweet. Use --cookies',
    'ERROR: [twitter] 1: Twitter API says: this account owner limits who can view their Posts',
    'ERROR: [Instagram] a: This content is only available for registered users who follow this account',
  ],
  login_required: [
    'ERROR: [Instagram] D: reader: only members may see it',
    "ERROR: [youtube] a: This video is available to this channel's members on level: Fans",
    'ERROR: [youtube] a: Join this channel to get access to members-only content',
    'ERROR: [youtube] a: This video requires payment to watch.',
    'ERROR: [Instagram] a: The provided Instagram account cookies are no longer valid',
    'ERROR: [facebook] 1: This video is only available for registered users. Use --cookies',
    'ERROR: [facebook] 1: You must log in to continue',
    'ERROR: [Instagram] a: Instagram sent an empty media response. Check if this post',
    'ERROR: [facebook] 1: Cannot parse data; please report this issue on',
  ],
  'upstream_error, transient': [
    'reader: nothing found',
    'ERROR: [TikTok] 7: Unable to download webpage: (caused by SSLError); please report',
    'HTTP Error 503: Service Unavailable',
    'The read operation timed out',
    'ERROR: [twitter] 1: Error(s) while querying API: Timeout: Unspecified; please report this issue on',
    'ERROR: [twitter] 1: Syndication endpoint returned empty JSON response; please report this issue on',
    'ERROR: [youtube] a: Unable to extract x; please report this issue on  https',
  ],
  upstream_error: [
    "Unable to connect to proxy: ('Unable to connect to proxy', OSError('Tunnel connection failed: 403 Forbidden'))",
    'Failed to perform, curl: (56) CONNECT tunnel failed, response 403.',
    'HTTP Error 403: Refused by the egress guard',
  ],
  'platform_blocked, transient': [
    'ERROR: Did not get any data blocks',
    'ERROR: [youtube] a: Sign in to confirm you’re not a bot. Use --cookies',
    'ERROR: [youtube] a: Error. YouTube is requiring a captcha challenge',
    'ERROR: [youtube] a: All player responses are invalid. Your IP is likely being blocked by Youtube',
    'ERROR: [youtube] a: The page needs to be reloaded.',
    'ERROR: [TikTok] 7: Unable to solve JS challenge; please report this issue on',
    'ERROR: [TikTok] 7: Unexpected response from webpage request; please report this issue on',
    'ERROR: [youtube] a: Please sign in. Use --cookies',
    'ERROR: [youtube] a: The following content is not available on this app.. Watch on the latest version',
    'ERROR: [twitter] 1: Error(s) while querying API: Rate limit exceeded.',
    'ERROR: [TikTok] 7: Your IP address is blocked from accessing this post',
    'ERROR: [Instagram] a: The webpage request was redirected to the login page.',
    'ERROR: [TikTok] 7: TikTok is requiring login for access to this content. Use',
    'ERROR: [youtube] a: The current session has been rate-limited by YouTube',
    'ERROR: [facebook] 1: Unable to download webpage: HTTP Error 403: Forbidden',
    'ERROR: [twitter] 1: HTTP Error 429: Too Many Requests',
    'ERROR: [youtube] a: Failed to extract any player response; please report this issue on  x after HTTP Error 429',
    'HTTP Error 403: Forbidden',
    'ERROR: [Instagram] a: Please wait a few minutes before you try again.',
    'ERROR: [Instagram] a: Instagram API is not granting access',
  ],
  age_restricted: [
    'ERROR: [twitter] 1841206275088290279: NSFW tweet requires authentication. Use --cookies',
    'ERROR: [twitter] 1: Twitter API says: Age-restricted adult content. This content might not',
    'ERROR: [TikTok] 7: This post may not be comfortable for some audiences. Log in for access',
    'ERROR: [Instagram] a: Restricted Video: You must be 18 years old or over to see this video',
    'ERROR: [youtube] a: Sign in to confirm your age. This video may be inappropriate',
  ],
  geo_blocked: [
    'ERROR: [youtube] a: The uploader has not made this video available in your country',
    'ERROR: [TikTok] 7: This video is not available from your location due to geo restriction',
    'ERROR: [twitter] 1: Twitter API says: This Post from @a has been withheld in Germany in response',
  ],
  video_unavailable: [
    'ERROR: [youtube] a: This video is unavailable',
    'ERROR: [twitter:broadcast] 1: Broadcast no longer exists',
    'ERROR: [twitter] 1: Twitter API says: This Post is unavailable',
    'ERROR: [twitter] 1: Twitter API says: This Post violated the X Rules',
    'ERROR: [twitter:spaces] 1: Twitter Space not found',
    'ERROR: [twitter:spaces] 1: Twitter Space ended and replay is disabled',
    'ERROR: [youtube] a: Video unavailable. The uploader has closed',
    'ERROR: [twitter] 1: Twitter API says: This Post was deleted by the Post author',
    'ERROR: [TikTok] 7: Video not available, status code 10240; please report this issue on  https://github.com',
    'ERROR: [twitter] 1: Error(s) while querying API: No status found with that ID.',
    'ERROR: [twitter] 1: No video could be found in this tweet',
    'ERROR: [twitter] 1: Requested tweet is unavailable',
    'ERROR: [twitter] 1: Suspended',
    'ERROR: [facebook] 1: The video is not available, Facebook said: "The link you followed may',
    'ERROR: [twitter] 1: Twitter API says: This Post is from a suspended account',
    'ERROR: [youtube] a: This video has been removed by the uploader',
    'ERROR: [youtube] a: The YouTube account associated with this video has been terminated.',
    'ERROR: [facebook] 1: Unable to download webpage: HTTP Error 404: Not Found',
  ],
}

describe('what the messages of yt-dlp mean', () => {
  for (const [meaning, texts] of Object.entries(messages))
    for (const message of texts)
      it(`${meaning}: ${message.replace(/^ERROR: /, '')}`, () => {
        const { code, transient } = failureOfMessage(message)
        expect(transient ? `${code}, transient` : code).to.equal(meaning)
      })

  it('has a message for every phrase of the table', () => {
    const known = Object.values(messages).flat()
    const unproven = failureRows.flatMap((row) =>
      row.says.filter((words) => !known.some((text) => failureRowOf(text) === row && words.test(plain(text)))),
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
