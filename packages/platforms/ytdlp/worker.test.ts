import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { node } from '#test/doubles/node.ts'
import { python } from '#test/doubles/python.ts'
import { specifiedUrls } from '#test/doubles/recordings.ts'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'
import { urlCases } from '#test/doubles/url-cases.ts'
import { parseVideoUrl } from '../urls/parse-video-url.ts'
import { allowed } from './create-reader.ts'
import { runPython } from './run-python.fixture.ts'

const worker = join(import.meta.dirname, 'worker.py')

/** The settings with which worker.py starts. */
const settingsOf = (settings: object): string =>
  JSON.stringify({
    node,
    caFile: null,
    cookiesDirectory: null,
    potUrl: null,
    packages: null,
    memoryBytes: 384 * 1024 * 1024,
    ...allowed,
    ...settings,
  })

describe('the worker that reads videos', () => {
  const directory = directoryForAll()
  const run = (code: string, settings: object = {}, input = '') =>
    runPython(code, [settingsOf(settings)], { input, cwd: directory.path })

  it('can connect only to its proxy, look up only its proxy and run only Node', () => {
    const said = run(`
import json, os, socket, subprocess
out = os.fdopen(os.dup(1), "w")  # the worker keeps its own for answers
import worker  # ends at once, for there is no input; its guard stays
def tried(what):
    try:
        what()
        return "done"
    except PermissionError as error:
        return str(error)
print(tried(lambda: socket.socket().connect(("127.0.0.1", 9))), file=out)
print(tried(lambda: socket.getaddrinfo("example.com", 443)), file=out)
print(tried(lambda: subprocess.run(["/bin/echo", "x"])), file=out)
print(tried(lambda: subprocess.run([json.loads(sys.argv[1])["node"], "-e", "0"], check=True)), file=out)
`)
    expect(said.split('\n')).to.deep.equal([
      'the worker may connect to its proxy only',
      'the worker may look up its proxy only',
      'the worker may run Node only',
      'done',
    ])
  })

  it('ends with its parent', async () => {
    const parent = `
import json, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-EsB", sys.argv[1], sys.argv[2]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
child.stdin.write(json.dumps({"id": 1, "op": "info", "platform": "x", "url": "no", "proxy": "http://127.0.0.1:9", "cpuSeconds": 9}) + "\\n")
child.stdin.flush()
print(child.pid, child.stdout.readline(), flush=True)
time.sleep(600)
`
    const process = spawn(python, ['-c', parent, worker, settingsOf({})], { cwd: directory.path })
    const [line] = (await once(createInterface(process.stdout), 'line')) as [string]
    expect(line).to.include('no canonical URL')
    const stat = `/proc/${line.split(' ')[0]}/stat`
    expect(existsSync(stat)).to.equal(true)
    process.kill('SIGKILL')
    while (existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, 'utf8'))) await new Promise((r) => setTimeout(r, 20))
  })

  it('accepts every canonical video URL of our parser, and nothing else', () => {
    const own = ['https://youtu.be/An8vtD1FDqs', 'x.com/i/status/20', 'https://www.instagram.com/reels/abcdef/']
    const inputs = [...own, ...[...urlCases, ...(specifiedUrls() ?? [])].map(({ input }) => input)]
    const videos = inputs.map(parseVideoUrl).flatMap((url) => {
      const isOne = url.accepted && url.platform !== 'direct' && url.id !== null
      return isOne ? [{ platform: url.platform, canonical: url.canonical }] : []
    })
    const code = `
import json, re
PAGES = json.loads(sys.argv[1])["pages"]
for one in json.load(sys.stdin):
    fits = [name for name, page in PAGES.items() if re.fullmatch(page, one["canonical"], re.ASCII)]
    if fits != [one["platform"]]:
        print(one["canonical"])
for order in ("ytsearch5:cats", "https://www.youtube.com/watch?v=An8vtD1FDqs\\n", "https://vimeo.com/1", ":ytfav"):
    assert not any(re.fullmatch(page, order, re.ASCII) for page in PAGES.values()), order
`
    expect(videos.length).to.be.at.least(40)
    expect(run(code, {}, JSON.stringify(videos))).to.equal('')
  })

  it('has no extractor for other sites, and no plugin unless a service for proof tokens is configured', () => {
    const code = `
import json
from reading import load_plugins
EXTRACTORS = json.loads(sys.argv[1])["extractors"]
import yt_dlp
from yt_dlp.extractor.youtube.pot._registry import _pot_providers
pot = sys.argv[1].count("4416") > 0
load_plugins("http://127.0.0.1:4416" if pot else None)
ydl = yt_dlp.YoutubeDL({"quiet": True, "allowed_extractors": EXTRACTORS, "logger": type("L", (), {n: lambda *a: None for n in ("debug", "error", "warning")})()})
for url in ("https://vimeo.com/1", "http://127.0.0.1/a.mp4"):
    try:
        ydl.extract_info(url, download=False)
    except yt_dlp.utils.DownloadError as error:
        assert "No suitable extractor" in str(error) or "Unsupported URL" in str(error), error
    else:
        raise AssertionError(url)
print(any("BgUtilHTTP" in name for name in _pot_providers.value))
`
    expect(run(code)).to.equal('False')
    expect(run(code, { potUrl: 'http://127.0.0.1:4416' })).to.equal('True')
  })

  it('takes the first video of a post with several, and fails if there is none', () => {
    const code = `
from reading import Refused, first_video
from yt_dlp.utils import ExtractorError
class Ydl:
    def __init__(self, found):
        self.found = found
    def extract_info(self, url, download, process):
        return self.found
    def process_ie_result(self, entry, download, extra_info=None):
        if "fails" in entry:
            raise ExtractorError(entry["fails"], expected=True)
        return entry
def told(found):
    try:
        return first_video(Ydl(found), "url")["id"]
    except (Refused, ExtractorError) as error:
        return str(error)
picture = {"id": "picture", "formats": []}
sound = {"id": "sound", "formats": [{"format_id": "a", "vcodec": "none", "protocol": "https"}]}
film = {"id": "film", "formats": [{"format_id": "v", "vcodec": "h264", "protocol": "https"}]}
upcoming = {"id": "upcoming", "formats": [], "live_status": "is_upcoming"}
post = lambda *entries: {"_type": "playlist", "entries": iter(entries)}
for found in (None, film, sound, upcoming, post(), post(picture, film), post({"fails": "No video formats found!"}, film), post({"fails": "protected tweet"}), post({"fails": "No video formats found!"}, picture)):
    print(told(found))
`
    expect(run(code).split('\n')).to.deep.equal([
      'reader: nothing found',
      'film',
      'reader: no video in the post',
      'upcoming',
      'reader: no video in the post',
      'film',
      'film',
      'protected tweet',
      'reader: no video in the post',
    ])
  })
})
