/** @jsxRuntime automatic @jsxImportSource preact */
import { CopyBox, Notice } from '../../look/parts.tsx'
import { type Flash, type Page, page } from '../../route.ts'

/** The only page that shows a webhook's secret. @param back the address to continue to */
export const newSecretPage = ({ host, secret }: NonNullable<Flash['newSecret']>, back: string): Page =>
  page({
    title: 'Your new secret',
    section: 'webhooks',
    main: (
      <section class="narrow">
        <h1>{host === undefined ? 'Your new secret for single jobs' : `Your new secret: ${host}`}</h1>
        <Notice tone="warn">
          <p>
            <strong>Copy it now.</strong> It is shown only once. Store it with your server’s secrets: anyone who has it
            can forge our messages.
          </p>
        </Notice>
        <CopyBox text={secret} />
        <p>If there was a previous secret, messages are signed with both for one day.</p>
        <p>
          <a class="button main" href={back}>
            I’ve copied it
          </a>
        </p>
      </section>
    ),
  })
