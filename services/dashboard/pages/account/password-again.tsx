/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { Account } from '#packages/ports/accounts.ts'
import { Field, type Problems } from '../../look/parts.tsx'

/** In forms that only the person may send, not whoever sits at their browser. */
export const PasswordAgain = ({ account, problems }: { account: Account; problems: Problems }): VNode =>
  account.passwordHash === null ? (
    <p>You have no password, so you need to have signed in within the last ten minutes.</p>
  ) : (
    <Field
      name="password"
      label="Password"
      type="password"
      required
      autocomplete="current-password"
      problems={problems}
    />
  )
