import { expect } from 'chai'
import { keptLog } from '#test/doubles/kept-log.ts'
import { serveMetrics } from './serve-metrics.ts'

const text = async () => 'video_build_info 1\n'

describe('/metrics', () => {
  /** Statuses and texts of requests to one server. */
  async function asked(token: string | undefined, requests: readonly [path: string, init?: RequestInit][]) {
    const { log, lines } = keptLog()
    await using _served = await serveMetrics(
      { metricsPort: 0, metricsHost: '127.0.0.1', metricsToken: token },
      text,
      log,
    )
    const { port } = JSON.parse(lines[0] ?? '') as { port: number }
    const answers = requests.map(([path, init]) => fetch(`http://127.0.0.1:${port}${path}`, init))
    return await Promise.all(answers.map(async (answer) => [(await answer).status, await (await answer).text()]))
  }

  it('shows all values to any caller, and nothing else', async () => {
    const [got, other, posted] = await asked(undefined, [['/metrics'], ['/v1/me'], ['/metrics', { method: 'POST' }]])
    expect(got).to.deep.equal([200, 'video_build_info 1\n'])
    expect([other?.[0], posted?.[0]]).to.deep.equal([404, 405])
  })

  it('with a token, shows them only to a caller that presents it, and does not reveal the token', async () => {
    const presenting = (authorization: string): RequestInit => ({ headers: { authorization } })
    const answers = await asked('of-the-scrape', [
      ['/metrics', presenting('Bearer of-the-scrape')],
      ['/metrics', presenting('Bearer of-the-scrap')],
      ['/metrics', presenting('of-the-scrape')],
      ['/metrics'],
    ])
    expect(answers.map(([status]) => status)).to.deep.equal([200, 401, 401, 401])
    expect(JSON.stringify(answers.slice(1))).to.not.contain('of-the-scrape')
  })

  it('does not exist unless a port is set', async () => {
    const { log, lines } = keptLog()
    const none = { metricsPort: undefined, metricsHost: '127.0.0.1', metricsToken: 'of-the-scrape' }
    expect(await serveMetrics(none, text, log)).to.equal(undefined)
    expect(lines).to.deep.equal([])
  })
})
