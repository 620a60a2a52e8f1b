import { expect } from 'chai'
import { runPython } from './run-python.fixture.ts'

const run = (code: string): unknown[] =>
  runPython(code)
    .split('\n')
    .map((line) => JSON.parse(line))

describe('pages that the worker requests as a browser', () => {
  /** A session that answers from a table: a page, or the target of a redirect. `session.asked` lists the requests. */
  const session = `
import json, time, yt_dlp
from browsers import Browsers
from pages import Pages, PageError
class Response:
    def __init__(self, found):
        is_page = not found.startswith(("https:", "http:", "/"))
        self.status_code, self.text = (200, found) if is_page else (302, "")
        self.headers = {} if is_page else {"location": found}
    def iter_content(self):
        yield self.text.encode()
    def close(self):
        pass
class Session:
    def __init__(self, answers):
        self.answers, self.asked = answers, []
    def request(self, method, url, impersonate, **_):
        self.asked.append((url, impersonate))
        answer = self.answers[url]
        return Response(answer(impersonate) if callable(answer) else answer)
browsers = Browsers()
def read(answers, **more):
    ydl = yt_dlp.YoutubeDL({"quiet": True})
    pages = Pages(ydl, "tiktok", "http://127.0.0.1:9", ["tiktok.com"])
    pages._session = Session(answers)
    request = {"method": "GET", "url": "https://www.tiktok.com/@a", "headers": {}, "body": None, "holds": None, "follow": True, "pageBytes": 1000, "seconds": 9, "cookies": False, **more}
    try:
        answer = pages.read(request, browsers)
        told = [answer["url"], answer["location"], answer["text"]]
    except PageError as error:
        told = [str(error)]
    print(json.dumps([told, [len(pages._session.asked), len({browser for _, browser in pages._session.asked})]]))
`

  it('are followed within the platform only, five redirects at most', () => {
    const told = run(`${session}
read({"https://www.tiktok.com/@a": "/b", "https://www.tiktok.com/b": "page"})
read({"https://www.tiktok.com/@a": "https://tiktok.com.evil.example/"})
read({"https://www.tiktok.com/@a": "http://www.tiktok.com/b"})
read({"https://www.tiktok.com/@a": "/b"}, follow=False)
read({"https://www.tiktok.com/@a": "/@a"})
read({}, url="https://www.instagram.com/a")
read({"https://www.tiktok.com/@a": "page" * 1000})
`)
    const start = 'https://www.tiktok.com/@a'
    expect(told).to.deep.equal([
      [
        ['https://www.tiktok.com/b', null, 'page'],
        [2, 1],
      ],
      [
        [start, 'https://tiktok.com.evil.example/', ''],
        [1, 1],
      ],
      [
        [start, 'http://www.tiktok.com/b', ''],
        [1, 1],
      ],
      [
        [start, '/b', ''],
        [1, 1],
      ],
      [['reader: too many redirects'], [6, 1]],
      [['reader: no page of the platform'], [0, 0]],
      [['reader: too large a page'], [1, 1]],
    ])
  })

  it('are requested as at most four browsers, and next time as the one that was let in', () => {
    const told = run(`${session}
letting_in = lambda name: {"https://www.tiktok.com/@a": lambda browser: "whole" if name in browser else "odd"}
read(letting_in("nobody"), holds="whole")
read(letting_in("firefox"), holds="whole")
read(letting_in("firefox"), holds="whole")
read(letting_in("nobody"), holds="whole")
read(letting_in("chrome"), holds="whole")
`)
    const counts = told.map((one) => (one as [unknown, number[]])[1])
    // if no browser was let in, the next request begins with the newest Chrome
    expect(counts).to.deep.equal([
      [4, 4],
      [4, 4],
      [1, 1],
      [4, 4],
      [1, 1],
    ])
  })

  it('end in time, however many redirects and browsers there are', () => {
    const [told, limits] = run(`${session}
clock, limits = [0], []
time.monotonic = lambda: clock[0]
ask = Session.request
def slowly(self, *args, **named):
    limits.extend(self.curl_options.values())
    clock[0] += 10
    return ask(self, *args, **named)
Session.request = slowly
read({"https://www.tiktok.com/@a": "/@a"}, seconds=25)
print(json.dumps(limits))
`)
    expect(told).to.deep.equal([['reader: the page took too long'], [3, 1]])
    expect(limits).to.deep.equal([25_000, 15_000, 5_000])
  })

  it('are requested once, not as a browser, if curl_cffi has none that fits', () => {
    const [told] = run(`${session}
yt_dlp.YoutubeDL({"quiet": True})._request_director.handlers["CurlCFFI"]._SUPPORTED_IMPERSONATE_TARGET_MAP.clear()
read({"https://www.tiktok.com/@a": "odd"}, holds="whole")
`)
    expect(told).to.deep.equal([
      ['https://www.tiktok.com/@a', null, 'odd'],
      [1, 1],
    ])
  })

  it('get their proof of work once, in bounded time, and no answer if there is none', () => {
    const [solved, unsolvable, garbage] = run(`
import base64, hashlib, json, time
from proof_of_work import proof_for
def page(digest):
    challenge = {"v": {"a": base64.b64encode(b"start").decode(), "c": base64.b64encode(digest).decode()}}
    marked = base64.b64encode(json.dumps(challenge).encode()).decode()
    return f'<p id="cs" class="{marked}"></p><p id="wci" class="_wafchallengeid"></p><p id="rci" class="waforiginalreid"></p><p id="rs" class="r1"></p>'
cookies = proof_for(page(hashlib.sha256(b"start777777").digest()))
answer = json.loads(base64.b64decode(cookies["_wafchallengeid"]))
print(json.dumps([base64.b64decode(answer["d"]).decode(), cookies["waforiginalreid"]]))
print(json.dumps(proof_for(page(b"no digest"))))
print(json.dumps([proof_for(text) for text in ("", "<html>", '<p id="cs" class="?"></p>', '<p id="cs" class="e30="></p>')]))
`)
    expect(solved).to.deep.equal(['777777', 'r1'])
    expect(unsolvable).to.deep.equal({})
    expect(garbage).to.deep.equal([{}, {}, {}, {}])
  })
})
