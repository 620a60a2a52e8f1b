import { oneOf } from './variable.ts'

export const webhookVariables = {
  webhooksAllowHttp: oneOf(
    'WEBHOOKS_ALLOW_HTTP',
    ['0', '1'],
    '0',
    'whether webhooks may have `http://` URLs; on the sandbox they always may',
  ),
}
