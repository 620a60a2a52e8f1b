/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { Account } from '#packages/ports/accounts.ts'
import { Field, type Problems } from '../../look/parts.tsx'

/** The field for the account's password. */
export const PasswordField = ({ problems }: { problems: Problems }): VNode => (
  <Field
    name="password"
    label="Password"
    type="password"
    required
    autocomplete="current-password"
    problems={problems}
  />
)

/** The password field of forms that only the account's person may send, and not someone else at their browser. */
export const PasswordAgain = ({ account, problems }: { account: Account; problems: Problems }): VNode =>
  account.passwordHash === null ? (
    <p>You have no password, so you need to have signed in within the last ten minutes.</p>
  ) : (
    <PasswordField problems={problems} />
  )
