import { TestVisitor } from '#services/dashboard/test-visitor.harness.ts'
import { Client } from './client.ts'
import type { RunningService } from './running-service.ts'

/** A person who has signed up on the dashboard: their organization's first key, and the cookie of their session. */
export async function signUp({ service }: RunningService, email: string): Promise<{ client: Client; cookie: string }> {
  const visitor = new TestVisitor(service.base, '/dashboard')
  const { orgId, key } = await visitor.signUp(email)
  return { client: new Client(() => service.base, { orgId, keyId: '', key }), cookie: visitor.cookie }
}
