/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren, InputHTMLAttributes, VNode } from 'preact'
import { describedBy, Notes, Options, type Problems } from '../../look/parts.tsx'
import type { ShownField } from './operations.ts'

type Filled = { form: URLSearchParams; problems: Problems }

/** The fields of a form. Those that few people need are folded, unless one of them has a value or a problem. */
export function FieldsView({ fields, ...filled }: { fields: readonly ShownField[] } & Filled): VNode {
  const { form, problems } = filled
  const view = (field: ShownField) => <FieldView key={field.name} field={field} {...filled} />
  const more = fields.filter(({ isMore }) => isMore)
  const isMoreOpen = more.some(({ name }) => form.get(name) || problems[name])
  return (
    <>
      {fields.filter(({ isMore }) => !isMore).map(view)}
      {more.length > 0 && (
        <details class="fold" open={isMoreOpen}>
          <summary>More options</summary>
          {more.map(view)}
        </details>
      )}
    </>
  )
}

type Parts = { field: ShownField } & Filled

/** One field of a form, with its value, its hint and its problem. */
function FieldView({ field, form, problems }: Parts): VNode {
  const { name, label, hint, control, when, required } = field
  const described = describedBy({ name, label, hint, problems })
  const notes = <Notes name={name} label={label} hint={hint} problems={problems} />
  const kind = when === undefined ? 'field' : `field for-${when.is}`
  if (control === 'check')
    return (
      <div class={kind}>
        <Check id={name} name={name} value="true" label={label} isOn={form.get(name) === 'true'} {...described} />
        {notes}
      </div>
    )
  if (control === 'checks')
    return (
      <fieldset class={kind} {...described}>
        <legend>{label}</legend>
        {field.options.map(([value, text]) => (
          <Check
            key={value}
            id={`${name}-${value}`}
            name={name}
            value={value}
            label={text}
            isOn={form.getAll(name).includes(value)}
          />
        ))}
        {notes}
      </fieldset>
    )
  return (
    <div class={kind}>
      <label for={name}>
        {label}
        {!required && <span class="optional"> optional</span>}
      </label>
      <Control field={field} value={form.get(name) ?? ''} described={described} />
      {notes}
    </div>
  )
}

type CheckParts = { id: string; name: string; value: string; label: ComponentChildren; isOn: boolean }

/** A box to tick, with its label. */
export const Check = ({ id, label, isOn, ...rest }: CheckParts): VNode => (
  <div class="choice">
    <input type="checkbox" id={id} checked={isOn} {...rest} />
    <label for={id}>{label}</label>
  </div>
)

type ControlParts = { field: ShownField; value: string; described: object }

function Control({ field, value, described }: ControlParts): VNode {
  const { name, control, options, placeholder, min, max, maxLength, when } = field
  // Another field may make this one superfluous, so the browser must not require it.
  const required = field.required && when === undefined
  const attributes = { id: name, name, placeholder: placeholder || undefined, maxLength, required, ...described }
  if (control === 'select')
    return (
      <select id={name} name={name} {...described}>
        <Options options={options} value={value} />
      </select>
    )
  if (control === 'long' || control === 'json')
    return (
      <textarea
        {...attributes}
        class={control === 'json' ? 'code' : undefined}
        rows={control === 'json' ? 12 : 4}
        spellcheck={control === 'long'}
      >
        {value}
      </textarea>
    )
  const type = control === 'text' ? 'text' : control
  // The attributes of an input depend on its kind, which is unknown here.
  return <input {...({ ...attributes, type, value, min, max } as InputHTMLAttributes<HTMLInputElement>)} />
}
