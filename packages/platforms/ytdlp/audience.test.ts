import { expect } from 'chai'
import { failureRowOf } from './failure.ts'
import { runPython } from './run-python.fixture.ts'

/** The failure code for an answer that yt-dlp's extractors find only with an account; `shown` if there is none. */
function codesOf(code: string): string[] {
  const told = `
import audience
import yt_dlp
audience.keep_to_the_public()
ydl = yt_dlp.YoutubeDL({"quiet": True})
def told(what, *more):
    try:
        what(*more)
        print("shown")
    except yt_dlp.utils.ExtractorError as error:
        print(error)
${code}`
  const lines = runPython(told).split('\n')
  return lines.map((line) => (line === 'shown' ? line : failureRowOf(line).code))
}

describe('what only an account may see', () => {
  it('is refused of YouTube: private, members’ and subscribers’ videos, but not adult or unlisted ones', () => {
    const codes = codesOf(`
for availability in ("private", "subscriber_only", "premium_only", "needs_auth", "unlisted", "public", None):
    told(audience.check, {"availability": availability})
`)
    expect(codes).to.deep.equal([
      'video_private',
      'login_required',
      'login_required',
      'shown',
      'shown',
      'shown',
      'shown',
    ])
  })

  it('is refused of X: the posts of protected accounts', () => {
    const codes = codesOf(`
from yt_dlp.extractor.twitter import TwitterIE
for protected in (True, False, None):
    extractor = TwitterIE(ydl)
    result = {"__typename": "Tweet", "legacy": {"full_text": "a"}, "core": {"user_results": {"result": {"legacy": {"protected": protected}}}}}
    extractor._call_graphql_api = lambda *_: {"tweetResult": {"result": result}}
    told(extractor._extract_status, "1")
`)
    expect(codes).to.deep.equal(['video_private', 'shown', 'shown'])
  })

  it('is refused of Facebook: what is not public', () => {
    const codes = codesOf(`
from yt_dlp.extractor.common import InfoExtractor
from yt_dlp.extractor.facebook import FacebookIE
scope = lambda name: '{"privacy_scope":{"icon_image":{"name":"%s"},"description":"…"}}' % name
for page in (scope("friends"), scope("group"), scope("everyone"), scope("everyone") + scope("friends"), "<html>"):
    InfoExtractor._download_webpage_handle = lambda *_, **__: (page, None)
    told(FacebookIE(ydl)._download_webpage, "https://www.facebook.com/reel/1", "1")
`)
    expect(codes).to.deep.equal(['video_private', 'video_private', 'shown', 'shown', 'shown'])
  })

  it('is refused of TikTok and Instagram: posts for oneself, friends and followers', () => {
    const codes = codesOf(`
for item in ({"privateItem": True}, {"secret": True}, {"forFriend": True}, {"author": {"privateAccount": True}}, {"author": {"privateAccount": False}}):
    told(lambda: audience.refuse(audience.of_tiktok(item)))
for product in ({"user": {"is_private": True}}, [{"audience": "besties"}], {"user": {"is_private": False}, "audience": None}):
    told(lambda: audience.refuse(audience.of_instagram(product)))
`)
    const followers = 'video_private'
    expect(codes).to.deep.equal([
      followers,
      followers,
      followers,
      followers,
      'shown',
      followers,
      'login_required',
      'shown',
    ])
  })
})
