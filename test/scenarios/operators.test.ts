/** What an operator does from the command line, while the service runs and while it is stopped. */
import { expect } from 'chai'
import { failureOf } from '#test/doubles/failure-of.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { Client } from '#test/doubles/service/client.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'

type Made = { orgId: string; keyId: string; key: string }

describe('npm run org', function () {
  this.timeout(180_000)
  const setting = openedForAll(() => Setting.start({ media: ['captioned.mp4'] }))

  async function create(...words: string[]): Promise<Client> {
    const stdout = await setting.service.printed('org', 'create', ...words, '--json')
    expect(stdout.trim().split('\n')).to.have.length(1)
    const made: Made = JSON.parse(stdout)
    expect(Object.keys(made)).to.deep.equal(['orgId', 'keyId', 'key'])
    return new Client(() => setting.service.base, made)
  }

  it('makes an organization that can be used at once; plan and grant take effect soon', async () => {
    const [free, pro] = await Promise.all([create('A name, with spaces'), create('Pro', '--plan', 'pro')])
    expect((await free.get('/v1/me')).body).to.deep.equal({
      orgId: free.orgId,
      name: 'A name, with spaces',
      creditsRemaining: 50,
    })
    expect(await pro.credits()).to.equal(2050)
    const heavyLimit = async () => (await free.transcript({ url: 'bad' })).headers.get('x-ratelimit-limit')
    expect(await heavyLimit()).to.equal('30')

    expect((await setting.service.org('grant', free.orgId, '25')).code).to.equal(0)
    expect(await free.credits()).to.equal(75)
    const changed = await setting.service.org('plan', free.orgId, 'starter')
    expect(changed.stdout).to.include('starter').and.include('575')
    expect(await free.credits()).to.equal(575)
    await until('the plan is seen', async () => (await heavyLimit()) === '60', { everyMs: 250 })

    const { body } = await free.run({ url: at('/captioned.mp4'), mode: 'native' })
    expect(body.status).to.equal('completed')
    const { stdout } = await setting.service.org('list')
    const lineOf = (orgId: string) => stdout.split('\n').find((line) => line.startsWith(orgId))
    expect(lineOf(free.orgId)).to.match(/starter\s+574\s+A name, with spaces$/)
    expect(lineOf(pro.orgId)).to.match(/pro\s+2050\s+Pro$/)
  })

  it('reads the history of a job and its organization while the service runs, and writes nothing', async () => {
    const me = await create('Asked about')
    const { body } = await me.run({ url: at('/captioned.mp4'), mode: 'native' })
    await setting.rest()
    const end = await (await setting.backDoor()).end()
    const ask = (line: string) => setting.service.command('history', ...line.split(' '))
    const jobId = String(body.jobId)
    expect((await ask(`why ${jobId}`)).stdout).to.contain('Of 1 credit taken, 1 stayed, because captions cost 1')
    expect(await (await setting.backDoor()).end()).to.equal(end)
  })

  it('refuses impossible requests with exit status 1 and a message, and writes nothing', async () => {
    const end = await (await setting.backDoor()).end()
    const unknown = '0190a0a0-0000-4000-8000-000000000000'
    const commands = [
      ['grant', unknown, '5'],
      ['plan', unknown, 'gold'],
    ]
    const ends = await Promise.all(commands.map((words) => setting.service.org(...words)))
    for (const [i, { code, stdout, stderr }] of ends.entries()) {
      expect(code, commands[i]?.join(' ')).to.equal(1)
      expect(stdout).to.equal('')
      expect(stderr).to.not.match(/^\s+at /m)
    }
    expect(ends[0]?.stderr).to.include(`there is no organization ${unknown}`)
    expect(await (await setting.backDoor()).end()).to.equal(end)
  })

  it('a second npm start on the same DATA_DIR exits 1 with a message, and does not affect the first', async () => {
    const { code, stdout, stderr } = await setting.service.command('start')
    expect(code).to.equal(1)
    expect(stdout).to.equal('')
    expect(stderr).to.include('is in use by another running service')
    const me = await create('After')
    expect((await me.run({ url: at('/captioned.mp4'), mode: 'native' })).body.status).to.equal('completed')
  })

  it('names a variable that cannot be used, and exits 1', async () => {
    const wrong = await failureOf(Setting.start({ env: { PORT: 'eighty', JOB_WINDOW_SECONDS: '0' } }))
    expect(wrong.message).to.include('PORT must be').and.include('JOB_WINDOW_SECONDS must be')
  })

  it('does the same while the service is stopped', async () => {
    expect(await setting.service.end('SIGTERM')).to.include({ code: 0 })
    const me = await create('While stopped', '--plan', 'starter')
    expect((await setting.service.org('grant', me.orgId, '10')).stdout).to.include('560')
    expect((await setting.service.org('list')).stdout).to.include('While stopped')
    await setting.service.start()
    expect(await me.credits()).to.equal(560)
    expect((await me.run({ url: at('/captioned.mp4'), mode: 'native' })).body.status).to.equal('completed')
  })
})
