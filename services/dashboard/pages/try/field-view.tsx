/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren, InputHTMLAttributes, VNode } from 'preact'
import { Marked } from '../../look/marked.tsx'
import type { Problems } from '../../look/parts.tsx'
import type { ShownField } from './operations.ts'

type Parts = { field: ShownField; form: URLSearchParams; problems: Problems }

/** One field of a form, with its value, its hint and its problem. */
export function FieldView({ field, form, problems }: Parts): VNode {
  const { name, label, hint, control, when, required } = field
  const problem = problems[name]
  const about = [hint && `${name}-hint`, problem && `${name}-problem`].filter(Boolean).join(' ')
  const described = { 'aria-describedby': about || undefined, 'aria-invalid': problem !== undefined }
  const notes = (
    <>
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          <Marked text={hint} />
        </p>
      )}
      {problem && (
        <p class="problem" id={`${name}-problem`}>
          {`${label} ${problem}`}
        </p>
      )}
    </>
  )
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
        {options.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
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
