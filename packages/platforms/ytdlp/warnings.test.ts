import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'chai'
import { python } from '#test/doubles/python.ts'
import { lacksOf, loggedWarning, meaningOf, type WarningMeaning } from './warnings.ts'

/**
 * Our interpretation of each warning that the pinned yt-dlp and its plugin can give for a video. Texts are cut; `{}`
 * is known only at run time. After an upgrade: look at what is new in its source, decide, and write the decision
 * here.
 */
const decided: Partial<Record<WarningMeaning, readonly string[]>> = {
  captions_withheld: [
    '{}: Some {} client subtitles require a PO Token which was not provided. They will be disca',
    '{}: There are missing subtitles languages because a PO token was not provided.',
  ],
  captions_unread: [
    'Found subtitles in multiple periods in the DASH manifest; if part of the subtitles are mis',
    'Ignoring subtitle tracks found in the {} manifest; if any subtitle tracks are missing,',
    'Unable to download captions: HTTP Error {}',
    'Unable to download video subtitles for {}: {}',
  ],
  formats_missing: [
    '"url" field is missing or empty - skipping format, there is an error in extractor',
    'Live HLS streams are not supported by the native downloader. If this is a livestream, plea',
    'No video formats found!',
    'Requested format is not available',
    'Signature solving failed: Some formats may be missing. {}',
    '; decryption will be performed natively, but will be extremely slow',
    'Some {} client {} formats have been skipped as they are DRM protected.',
    'The stream has AES-128 encryption and {} available',
    'This video is DRM protected',
    '{} may have an experiment that applies DRM to all videos on the tv client. See https://git',
    'Unknown MIME type {} in DASH manifest',
    'Unsupported features have been detected',
    'YouTube may have enabled the SABR-only streaming experiment for {}',
    'n challenge solving failed: Some formats may be missing. {}',
    '{}: {} client {} formats require a GVS PO Token which was not provided. They will be skipp',
    '{}Some {} client https formats have been skipped as they are missing a URL. {}. See https:',
    '{}only images are available for download. Use --list-formats to see them',
  ],
  formats_unread: [
    'Cannot extract signature timestamp without player url',
    'Failed to obtain m3u8 URL: HTTP Error {}',
    'Fragment request failed: HTTP Error {}',
    'Unable to download format {}. Skipping...',
    'Unable to extract {} - Failed to parse JSON: {}',
  ],
  answer_missing: [
    'Error resolving Nuxt JSON: {}',
    'Extractor {} returned a compat_list result. It needs to be updated.',
    'Extractor {} returned nothing{}',
    'Failed to download m3u8 information: HTTP Error {}',
    'Failed to download m3u8 playlist information: HTTP Error {}',
    'Skipping player responses from {} clients (got player responses for video "{}" instead of ',
    'This post may not be comfortable for some audiences. Log in for access',
    'TikTok is requiring login for access to this content',
    'Unable to download video list: HTTP Error {}',
    'Unable to download webpage: HTTP Error {}',
    'Unable to extract universal data for rehydration',
    'Unable to resolve Nuxt JSON data: invalid input',
    'Unknown typename: {}',
    '{}: Error reading response: {}',
  ],
  detail_missing: [
    '"duration" field is negative, there is an error in extractor',
    '"{}" field is not {} - forcing {} conversion, there is an error in extractor',
    'Cannot parse localized time text "{}"',
    'Chapter {} contains broken data. Not extracting chapters',
    'Comments extraction failed: HTTP Error {}',
    'Detected YouTube comments looping. Stopping comment extraction {} as we probably cannot ge',
    'Discarding a {} block found in the middle of the stream; if the subtitles display incorrec',
    'Extractor failed to obtain "title". Creating a generic title instead',
    'Failed to extract {}: Could not parse value {}',
    'Malformed storyboard {}: {}{}',
    'No subtitle format found matching "{}" for language {}, using {}. Use --list-subs for a li',
    'No title found in player responses; falling back to title from initial data. Other metadat',
    'Not all metadata or media is available via syndication endpoint',
    'Received incomplete data for a comment reply thread and retrying did not help. Ignoring to',
    'Release time of video is not known',
    'Some {} client {} formats are possibly damaged. They will be deprioritized',
    'Starting download from the last 120 hours of the live stream since YouTube does not have d',
    'Unable to mark {}watched',
    'Video should already be available according to extracted info',
    'YouTube said: {} - {}',
    'Youtube said: {}',
    'unable to extract JSON-LD {}',
    'unable to extract {}{}',
    '{} is not a supported codec',
    '{} subtitles not available for {}',
  ],
  tried_again: [
    'Incomplete data received in embedded initial data; re-fetching using API.',
    'Instagram API is not granting access',
    'No CSRF token set by Instagram API',
    'Rate-limit exceeded; falling back to syndication endpoint',
    'Video is geo restricted. Retrying extraction with fake IP {} ({}) as X-Forwarded-For.',
    '{}. Restarting from the beginning ...',
    '{}. Retrying... (attempt {} of {})',
    '{}; Re-extracting data',
    '{}; trying with webpage',
  ],
  account: [
    'Failed to parse .netrc: {}',
    'Failed to parse user PREF cookie{}',
    'Login with password is not supported for YouTube. {}',
    'Login with password is not supported for this website. {}',
    'Skipping client "{}" since it does not support cookies',
    'The extractor result contains an unscoped cookie as an HTTP header. If you are using yt-dl',
    'The provided Instagram account cookies are no longer valid',
    'The provided YouTube account cookies are no longer valid. They have likely been rotated in',
  ],
  setup: [
    'Cache retrieval from {} failed ({})',
    'Deprecated Feature: Format sorting alias {} is deprecated and may be removed in a future v',
    'Deprecated Feature: Passing cookies as a header is a potential security risk; they will be',
    'Deprecated Feature: Using arbitrary fields ({}) for format sorting is deprecated and may b',
    'Deprecated Feature: [youtube] include_duplicate_formats extractor argument is deprecated. ',
    'Deprecated Feature: {}',
    'Got a GVS PO Token for {} client, but missing Data Sync ID for account. Formats may not wo',
    'Ignoring unsupported JavaScript runtime(s): {}. Supported runtimes: {}.',
    'Ignoring unsupported remote component(s): {}. Supported remote components: {}.',
    'Invalid player JS variant name "{}" requested. Valid choices are: {}',
    'Invalid player JS version "{}" specified. It should be "actual" or in the format of STS@HA',
    'Invalid po_token configuration for {} client: {} PO Token should be a base64url-encoded st',
    'Invalid po_token configuration format. Expected "CLIENT.CONTEXT+PO_TOKEN", got "{}"',
    'Invalid webpage_client "{}" requested; falling back to {}',
    'No supported JavaScript runtime could be found. Only deno is enabled by default; to use an',
    'No working app info is available',
    'Preferring "{}" translated fields. Note that some metadata extraction may fail or be incor',
    'Skipping unsupported client "{}"',
    'The program functionality for this site has been marked as broken, and will probably not w',
    'Unable to delete file {}',
    'Unable to delete temporary file "{}"',
    'Unable to fetch GVS PO Token for {} client: Missing required Data Sync ID for account. You',
    'Unable to fetch GVS PO Token for {} client: Missing required Visitor Data. You may need to',
    'Unable to fetch Player PO Token for {} client: Missing required Video ID',
    'Unable to load request from disk: {}',
    'Writing cache to {} failed: {}',
    '[jsc] Challenge solver {} script version {} is not supported (source: {}, variant: {}, supported',
    '[jsc] Error solving {} challenge request using "{}" provider: {}. input = {} {}',
    '[jsc] Error solving {} challenge requests using "{}" provider: {}. requests = {} {}',
    '[jsc] Failed to load challenge solver {} script from python package: {}{}',
    '[jsc] Failed to read builtin challenge solver {} script{}',
    '[jsc] Hash mismatch on challenge solver {} script (source: {}, variant: {}, hash: {})!{}',
    '[jsc] Invalid JS Challenge response received from "{}" provider: {} response = {} request = {} {',
    '[jsc] JS Challenge Provider "{}" returned a response for an unknown request: request = {} {}',
    '[jsc] JS Challenge Provider "{}" returned an invalid response: response = {} {}',
    '[jsc] {} This is a developer option intended for debugging. If you experience any issues while u',
    '[jsc] {}. For more information and alternatives, refer to {}',
    "[pot:bgutil:http] 'youtube:getpot_bgutil_baseurl' extractor arg is deprecated, use 'youtubepot-bgutilhttp:ba",
    "[pot:bgutil:http] 'youtubepot-bgutilhttp:disable_innertube' extractor arg is deprecated",
    '[pot:bgutil:http] BotGuard challenges could not be obtained from the webpage, a PO Token cannot be generated',
    '[pot:bgutil:http] Error parsing ping response JSON (caused by {})',
    '[pot:bgutil:http] Error reaching GET {}/ping (caused by {}). Please make sure that the server is reachable a',
    '[pot:bgutil:http] Failed to extract initial attestation from the webpage',
    '[pot:bgutil:http] HTTP Error reaching GET /ping (caused by {})',
    '[pot:bgutil:http] Plugin and {} major versions are mismatched. Update both the plugin and the {} to the same',
    '[pot:bgutil:http] The provider plugin and the {} are on different versions, this may cause compatibility iss',
    '[pot:bgutil:http] Unknown error reaching GET /ping (caused by {})',
    '[pot] Error fetching PO Token from "{}" provider: {}{}',
    '[pot] Error from "{}" PO Token cache provider: {}{}',
    'ffmpeg not found. The downloaded format may not be the best available. Installing ffmpeg i',
    '{}; extraction will be delegated to {}',
  ],
}

const SCRIPT = join(import.meta.dirname, 'warnings_said.py')
const WITHHELD =
  '[youtube] a: a: There are missing subtitles languages because a PO token was not provided. Automatic captions for 1 languages are missing.'

describe('warnings of yt-dlp', () => {
  it('have a decision for each that the pinned version can give', () => {
    const said = JSON.parse(execFileSync(python, [SCRIPT], { encoding: 'utf8' })) as string[]
    expect(Object.values(decided).flat()).to.have.members(said)
  })

  it('mean what was decided, whichever extractor gives them', () => {
    for (const [meaning, texts] of Object.entries(decided))
      for (const text of texts)
        for (const said of [text, `[youtube] dQw4w9WgXcQ: ${text}`])
          expect(meaningOf(said.replaceAll('{}', 'x1')), said).to.equal(meaning)
  })

  it('are unknown without a decision, including errors after which yt-dlp continued', () => {
    expect(meaningOf('[youtube] a: The captions went for a walk')).to.equal('unknown')
    expect(meaningOf('ERROR: [Instagram] a: The picture went for a walk')).to.equal('unknown')
    expect(meaningOf('ERROR: [Instagram] a: There is no video in this post')).to.equal('part_failed')
  })

  it('say what may be missing; withheld captions take precedence over unreadable ones', () => {
    const failed = '[youtube] a: Unable to download API page: HTTP Error 500: Internal Server Error'
    expect(lacksOf([])).to.deep.equal({ captions: null, formats: null })
    expect(lacksOf([WITHHELD])).to.deep.equal({ captions: 'withheld', formats: null })
    expect(lacksOf([failed])).to.deep.equal({ captions: 'unread', formats: 'unread' })
    expect(
      lacksOf([failed, WITHHELD, '[youtube] n challenge solving failed: Some formats may be missing.']),
    ).to.deep.equal({ captions: 'withheld', formats: 'withheld' })
    expect(lacksOf(['[youtube] a: Release time of video is not known'])).to.deep.equal({
      captions: null,
      formats: null,
    })
  })

  it('report possibly missing captions only for answers that can list captions', () => {
    const listing = [
      '[TikTok] a: Unable to solve JS challenge',
      '[TikTok] a: Unable to extract universal data for rehydration',
      '[youtube] a: Unable to extract initial player response - Failed to parse JSON: b',
      '[twitter] a: Failed to download m3u8 information: HTTP Error 500',
    ]
    const others = [
      '[Instagram] a: Unable to download webpage: HTTP Error 500',
      '[youtube] a: Unable to extract yt initial data - Failed to parse JSON: b',
      '[facebook] a: Requesting a challenge cookie: Unable to extract challenge path',
      '[facebook] a: Unable to download format hd. Skipping...',
    ]
    for (const said of listing) expect(lacksOf([said]), said).to.deep.equal({ captions: 'unread', formats: 'unread' })
    for (const said of others) expect(lacksOf([said]), said).to.deep.equal({ captions: null, formats: 'unread' })
  })

  it('are logged without addresses, tokens and the id of the video', () => {
    const url = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'
    const signed = '/api/timedtext?v=dQw4w9WgXcQ&signature=AA5BBCF255F02CABAE17245338F9BB8E0E3807E5&pot=Mnj9x'
    const warning = `[youtube] dQw4w9WgXcQ: Odd answer of https://user:word@host/a?sig=1 and ${signed}`
    expect(loggedWarning(warning, url)).to.equal(
      '[youtube] (id): Odd answer of (address) and /api/timedtext?v=(id)(secret)',
    )
  })
})
