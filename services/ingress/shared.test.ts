import { expect } from 'chai'
import { fullGrant } from '#packages/domain/key/grant.ts'
import { noTerms } from '#packages/jobs/acceptance/terms.ts'
import { transcriptRequestOf } from '#packages/jobs/acceptance/transcript-request.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'

describe('what the ingress shares with another surface in its process', () => {
  it('accepts jobs that /v1 shows, for the same keys and credits', async () => {
    await using ingress = await startIngress({ clock: new ManualClock() })
    const acme = await ingress.org()
    const before = await acme.credits()
    const { keys, acceptance, watch, details } = ingress.shared
    const caller = await keys.find(acme.key)
    expect(caller).to.deep.equal({ orgId: acme.orgId, keyId: acme.keyId, grant: fullGrant })
    const request = transcriptRequestOf(
      { url: 'https://cdn.example.com/film.mp4', mode: 'native' },
      { tellsSpeakers: false },
    )
    const metadata = { orgId: acme.orgId, causationId: 'a test', traceparent: newTraceparent(true) }
    const byKey = { keyId: acme.keyId, surface: 'api', monthlyCredits: null, idempotencyKey: undefined } as const
    const { jobId } = await acceptance.accept({ request, terms: noTerms, ...byKey, metadata })
    const seen = await watch.see({ jobId, orgId: acme.orgId, kind: 'transcript' })
    expect(seen?.status).to.equal('queued')
    expect((await acme.get(`/v1/transcript/${jobId}`)).body.status).to.equal('queued')
    expect((await details.show(acme.orgId)).creditsRemaining).to.equal(before - 1)
  })
})
