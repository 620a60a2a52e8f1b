import { expect } from 'chai'
import { serveDashboard } from '../../served-dashboard.harness.ts'
import { fromOurPage } from '../../test-visitor.harness.ts'

const listOf = (length: number): string =>
  Array.from(
    { length },
    (_, n) => `https://www.youtube.com/watch?v=${(n + 7919).toString(36).padStart(11, 'aZ9_b')}`,
  ).join('\r\n')

async function visitForm() {
  const dashboard = await serveDashboard()
  const ada = await dashboard.signedUp('ada@example.com')
  const path = `/org/${ada.orgId}/batches/new`
  return {
    ...dashboard,
    ada,
    path,
    form: (length: number) => ({ job: 'transcript', from: 'list', urls: listOf(length) }),
  }
}

describe('the form for a batch', () => {
  it('is answered with a redirect where no script sends it, so Back and reload send nothing again', async () => {
    await using dashboard = await visitForm()
    const { ada, path, form } = dashboard
    const sent = await ada.send(path, form(3))
    expect(sent).to.include({ status: 303, to: path })
    const shown = await ada.get(path)
    expect(shown.text).to.include('Start this batch?').and.include('15 credits')
    expect((await ada.get(path)).text, 'loaded again').to.include('Show the cost')
    const refused = await ada.post(path, { ...form(1), urls: 'nowhere' })
    expect(refused.status).to.equal(400)
    expect(refused.text).to.include('1 line is not a video URL.').and.include('nowhere')
  })

  it('accepts without a script as many URLs as it says, and explains what to do with more', async () => {
    await using dashboard = await visitForm()
    const { ada, path, form } = dashboard
    const fits = await ada.post(path, form(100))
    expect(fits.text).to.include('This plan allows 20 items in a batch')
    const tooLong = await ada.post(path, form(2000))
    expect(tooLong.status).to.equal(413)
    expect(tooLong.text).to.include('URLs are too many for a browser without JavaScript: send at most 100 at once')
  })

  it('takes a list of any length from the script of the page, which gets the cost itself', async () => {
    await using dashboard = await visitForm()
    const { ada, path, form } = dashboard
    const answer = await ada.send(path, form(2000), { ...fromOurPage, 'x-in-place': '1' })
    expect(answer.status).to.equal(403)
    expect(answer.text).to.include('This plan allows 20 items in a batch')
  })
})
