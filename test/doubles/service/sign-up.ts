import { TestVisitor } from '#services/dashboard/test-visitor.harness.ts'
import { Client } from './client.ts'
import type { RunningService } from './running-service.ts'

/** Somebody who has signed up on the dashboard: their organization's first key, and the cookie of their session. */
export async function signUp({ service }: RunningService, email: string): Promise<{ client: Client; cookie: string }> {
  const visitor = new TestVisitor(service.base, '/dashboard')
  const form = { organization: 'Acme', email, password: 'nine green umbrellas on a roof' }
  const { status, html, text } = await visitor.post('/sign-up', form)
  const [, orgId = ''] = /\/org\/([\w-]+)/.exec(html) ?? []
  const [key = ''] = /ma_\w+/.exec(html) ?? []
  if (key === '') throw new Error(`the sign-up was answered ${status}: ${text.slice(0, 300)}`)
  return { client: new Client(() => service.base, { orgId, keyId: '', key }), cookie: visitor.cookie }
}
