import { expect } from 'chai'
import { serveDashboard } from '../../served-dashboard.harness.ts'
import { fromOurPage, PASSWORD, textOf } from '../../test-visitor.harness.ts'

const ada = { organization: 'Pemberley & Sons', email: 'ada@example.com', password: PASSWORD }

describe('signing up', () => {
  it('shows a key once, and a command that works with it', async () => {
    await using dashboard = await serveDashboard()
    const visitor = dashboard.visitor()
    const shown = await visitor.post('/sign-up', ada)
    expect(shown.status).to.equal(200)
    const [, url = '', key = '', body = ''] =
      /curl '([^']+)' .*'x-api-key: (ma_\w+)'.* -d '([^']+)'/s.exec(textOf(shown.html)) ?? []
    expect(url).to.equal(`${dashboard.ingress.base}/v1/transcript`)
    expect(shown.text).to.include(`"x-api-key": "${key}"`).and.include('Python').and.include('Try it in the browser')
    const answer = await dashboard.ingress.call('POST', '/v1/transcript', { key, json: JSON.parse(body) })
    expect(answer.status).to.equal(202)
    // Sent again, as by a double click: there is still one organization, and the key is not shown again.
    expect(await visitor.post('/sign-up', ada)).to.include({ status: 303, to: '/' })
    expect((await visitor.get('/account')).text).to.include('Pemberley & Sons owner')
  })

  it('shows each problem beside what was typed, but never returns a password', async () => {
    await using dashboard = await serveDashboard()
    const short = await dashboard.visitor().post('/sign-up', { ...ada, password: 'too short yes' })
    expect(short.status).to.equal(400)
    expect(short.text).to.include('Password must have at least 15 characters')
    expect(short.html).to.include('value="ada@example.com"').and.not.include('too short yes')
  })

  it('answers a script with the address of a page that shows the refusal once', async () => {
    await using dashboard = await serveDashboard()
    const visitor = dashboard.visitor()
    const inPlace = { ...fromOurPage, 'x-in-place': '1' }
    const sent = await visitor.send('/sign-up', { ...ada, password: 'too short yes' }, inPlace)
    expect(sent).to.include({ status: 204, to: '/sign-up', html: '' })
    const refused = await visitor.get('/sign-up', { 'x-in-place': '1' })
    expect(refused).to.include({ status: 400 })
    expect(refused.html).to.include('value="ada@example.com"').and.not.include('too short yes')
    expect(await visitor.get('/sign-up')).to.include({ status: 200 })
  })

  it('explains what to do if sign-up is by invitation or closed', async () => {
    for (const [signup, words] of [
      ['invited', 'Sign-up is by invitation'],
      ['closed', 'Sign-up is closed'],
    ] as const) {
      await using dashboard = await serveDashboard({ options: { signup, operatorEmail: 'ops@example.com' } })
      const { text } = await dashboard.visitor().get('/sign-up')
      expect(text).to.include(words).and.include('ops@example.com')
      expect((await dashboard.visitor().post('/sign-up', ada)).status).to.equal(403)
    }
  })

  it('waits for confirmation of the address if the service sends mail', async () => {
    await using dashboard = await serveDashboard({ options: { sendsMail: true } })
    const visitor = dashboard.visitor()
    expect((await visitor.post('/sign-up', ada)).text).to.include('Check your mail')
    expect((await visitor.post('/sign-in', ada)).text).to.include('Confirm your e-mail address first')
    const path = dashboard.mailedPath()
    expect(path).to.match(/^\/verify\?token=/)
    // A program that scans mails opens the link: nothing happens.
    expect((await visitor.get(path)).text).to.include('Confirm my address')
    const token = path.split('=')[1] ?? ''
    const confirmed = await visitor.post('/verify', { token })
    expect(confirmed.html).to.match(/ma_\w{30}/)
    expect(visitor.cookies.size).to.equal(0)
    expect(await visitor.post('/verify', { token })).to.include({ status: 404 })
    expect((await visitor.post('/sign-in', ada)).status).to.equal(303)
  })

  it('asks the visitor to use another address if browsers keep no session here', async () => {
    await using dashboard = await serveDashboard({ options: { publicUrl: 'http://video.lan:8080' } })
    for (const path of ['/sign-in', '/sign-up', '/invitation?token=x']) {
      const { text, html } = await dashboard.visitor().get(path)
      expect(text, path).to.include('Open the dashboard at another address').and.include('http://video.lan:8080')
      expect(html, path).to.not.include('<form')
    }
  })
})
