/** @jsxRuntime automatic @jsxImportSource preact */
import { CopyBox, Notice } from '../../look/parts.tsx'
import { type Flash, type Page, page } from '../../route.ts'

/** The only page that shows a secret of webhooks. @param back where it leads on */
export const newSecretPage = ({ host, secret }: NonNullable<Flash['newSecret']>, back: string): Page =>
  page({
    title: 'Your new secret',
    section: 'webhooks',
    main: (
      <section class="narrow">
        <h1>{host === undefined ? 'Your new secret for single jobs' : `Your new secret: ${host}`}</h1>
        <Notice tone="warn">
          <p>
            <strong>Copy it now.</strong> It is not shown again. Keep it where your server keeps its secrets: whoever
            has it can send messages that look like ours.
          </p>
        </Notice>
        <CopyBox text={secret} />
        <p>Where there was one before it, messages are signed with both for a day.</p>
        <p>
          <a class="button main" href={back}>
            I have copied it
          </a>
        </p>
      </section>
    ),
  })
