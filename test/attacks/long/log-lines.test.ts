import { expect } from 'chai'
import type { CatalogueVideo } from '#services/sandbox/catalogue.ts'
import { everyVideo } from '#services/sandbox/sandbox-platforms.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'

const PROMPT = 'tell the secretprompt of this'

/** For each platform, one video that plays and one for each kind of failure: failures quote the most. */
const videos: readonly CatalogueVideo[] = [
  ...Map.groupBy(everyVideo, ({ platform, trouble }) => `${platform} ${trouble}`).values(),
].flatMap(([first]) => first ?? [])

/** The part of its address that identifies a video. */
function namesOf({ id, url }: CatalogueVideo): string[] {
  const { pathname, search } = new URL(url)
  return [id, url, ...(pathname.length > 8 ? [pathname] : []), ...(search === '' ? [] : [search])]
}

describe('what a log line says about a video', function () {
  this.timeout(360_000)

  it('includes neither its id nor any part of its address, at any level, whether it plays or not', async () => {
    await using setting = await SandboxSetting.start({
      env: () => ({ LOG_LEVEL: 'debug', JOB_WINDOW_SECONDS: '15' }),
    })
    const me = await setting.client({ plan: 'pro' })
    const unknown = 'https://www.youtube.com/watch?v=Zz_secret-9'
    const direct = 'https://no-such-host.example/secret-path/file.mp4?signature=secretquery'
    const urls = [...videos.map(({ url }) => url), unknown, direct]
    // All jobs first: once one of them has waited for a third of the window, the service refuses further ones.
    const jobs = await Promise.all(urls.map((url) => me.enqueue({ url, mode: 'auto' })))
    await Promise.all([...urls.map((url) => me.metadata(url)), ...jobs.map((job) => me.ended(job))])
    await me.post('/v1/extract', { url: direct, prompt: PROMPT, vocabulary: 'secretname' })
    await me.get('/v1/search?q=secretquestion')
    await me.get('/v1/tiktok/profile?username=secret.account')
    await setting.rest()
    const { output } = setting.service
    expect(output.split('\n').length, 'lines of the log').to.be.above(urls.length)
    const secrets = [
      ...videos.flatMap(namesOf),
      'Zz_secret',
      'secret-path',
      'secretquery',
      'secretprompt',
      'secretname',
      'secretquestion',
    ]
    const leaked = [...secrets, 'secret.account', me.key].flatMap((secret) =>
      output
        .split('\n')
        .filter((line) => line.includes(secret))
        .map((line) => `${secret}: ${line}`),
    )
    expect(leaked).to.deep.equal([])
  })
})
