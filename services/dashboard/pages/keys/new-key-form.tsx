/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { allScopes } from '#packages/domain/key/grant.ts'
import { Field, FormProblem, type Problems, Submit } from '../../look/parts.tsx'
import { ONCE } from '../../once.ts'
import type { KeyFields } from './key-form.ts'
import { scopeWords } from './words.tsx'

type Parts = {
  action: string
  fields: KeyFields
  problems: Problems | undefined
  /** The first day on which a key may expire, such as `2026-01-31`. */
  firstDay: string
  /** Identifies the form, which creates one key however often it is sent. */
  once: string
}

export const NewKeyForm = ({ action, fields, problems, firstDay, once }: Parts): VNode => (
  <section class="card narrow">
    <h2>Create API key</h2>
    <form method="post" action={action}>
      <FormProblem problems={problems} />
      <input type="hidden" name={ONCE} value={once} />
      <NameField fields={fields} problems={problems} />
      <Scopes chosen={fields.scopes} problem={problems?.scopes} />
      <LimitFields fields={fields} problems={problems} firstDay={firstDay} />
      <Submit>Create key</Submit>
    </form>
  </section>
)

const Scopes = ({ chosen, problem }: { chosen: readonly string[]; problem: string | undefined }): VNode => (
  <fieldset aria-describedby={problem && 'scopes-problem'}>
    <legend>Permissions</legend>
    {allScopes.map((scope) => (
      <label class="choice" key={scope}>
        <input type="checkbox" name="scopes" value={scope} checked={chosen.includes(scope)} />
        <span>
          {scopeWords[scope].name} <span class="quiet small">{scopeWords[scope].hint}</span>
        </span>
      </label>
    ))}
    {problem && <p class="problem" id="scopes-problem">{`Permissions ${problem}`}</p>}
  </fieldset>
)

type Filled = { fields: KeyFields; problems: Problems | undefined }

export const NameField = ({ fields, problems }: Filled): VNode => (
  <Field
    name="name"
    label="Name"
    value={fields.name}
    hint="What it is for, such as “Nightly import”."
    problems={problems}
    required
    maxLength={100}
    autocomplete="off"
  />
)

/** The cap and the expiry of a key. @param firstDay the first day on which it may expire, such as `2026-01-31` */
export const LimitFields = ({ fields, problems, firstDay }: Filled & { firstDay: string }): VNode => (
  <div class="filters">
    <Field
      name="monthlyCredits"
      label="Credits per month"
      type="number"
      value={fields.monthlyCredits}
      hint="Leave empty for no limit."
      problems={problems}
      min={0}
      max={1_000_000_000}
    />
    <Field
      name="expiresAt"
      label="Expires on"
      type="date"
      value={fields.expiresAt}
      hint="Leave empty to never expire."
      problems={problems}
      min={firstDay}
    />
  </div>
)
