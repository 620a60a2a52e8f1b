import type { Mail } from '#packages/ports/mailer.ts'

const text = (...paragraphs: string[]): string => `${paragraphs.join('\n\n')}\n`

/** Each mail has one link. It states what has happened, or what to do if the reader did not request it. */
export const mailTexts = {
  verify: (to: string, link: string): Mail => ({
    to,
    subject: 'Confirm your e-mail address',
    text: text(
      'To finish signing up to Video Intelligence, confirm your e-mail address:',
      link,
      'The link works once and expires in six days. If you did not sign up, ignore this e-mail: the account will be removed.',
    ),
  }),

  known: (to: string, link: string): Mail => ({
    to,
    subject: 'You already have an account',
    text: text(
      'Someone, probably you, tried to sign up to Video Intelligence with this address, which already has an account. Sign in or reset your password:',
      link,
      'If this was not you, ignore this e-mail.',
    ),
  }),

  reset: (to: string, link: string): Mail => ({
    to,
    subject: 'Reset your password',
    text: text(
      'To choose a new password for Video Intelligence, open:',
      link,
      'The link works once and expires in one hour. If you did not request this, ignore this e-mail: your password will not change.',
    ),
  }),

  newAddress: (to: string, link: string): Mail => ({
    to,
    subject: 'Confirm your new e-mail address',
    text: text(
      'Someone, probably you, wants to use this address for a Video Intelligence account. To confirm it, sign in and open:',
      link,
      'The link works once and expires in one hour. If this was not you, ignore this e-mail: nothing will change.',
    ),
  }),

  addressChangeAsked: (to: string, address: string): Mail => ({
    to,
    subject: 'A new e-mail address was requested',
    text: text(
      `Someone, probably you, asked to change the e-mail address of your Video Intelligence account to ${address}. It changes once that address is confirmed.`,
      'If this was not you, change your password now: someone else knows it.',
    ),
  }),

  addressChanged: (to: string, address: string): Mail => ({
    to,
    subject: 'Your e-mail address was changed',
    text: text(
      `The e-mail address of your Video Intelligence account is now ${address}. Sign in with it from now on.`,
      'If this was not you, contact the operator of the service now.',
    ),
  }),

  secondFactorOff: (to: string): Mail => ({
    to,
    subject: 'Two-factor authentication was turned off',
    text: text(
      'Two-factor authentication was turned off for your Video Intelligence account. Your password alone now signs you in.',
      'If this was not you, change your password now and turn it on again.',
    ),
  }),

  webhookOff: (
    to: string,
    { host, reason, link }: { host: string; reason: 'gone' | 'failing'; link: string },
  ): Mail => ({
    to,
    subject: `Your webhook at ${host} was switched off`,
    text: text(
      reason === 'gone'
        ? 'Your server answered 410 (Gone), so we stopped sending messages.'
        : 'Your server has not accepted a message for four days, so we stopped sending.',
      'To switch it on again and resend missed events, open:',
      link,
    ),
  }),

  creditsLow: (to: string, { name, balance, link }: { name: string; balance: number; link: string }): Mail => ({
    to,
    subject: balance === 0 ? `${name} has no credits left` : `${name} is running low on credits`,
    text: text(
      balance === 0
        ? `${name} has no credits left. New jobs are refused until it has more; everything that is free keeps working.`
        : `${name} has ${balance} ${balance === 1 ? 'credit' : 'credits'} left. When they run out, new jobs are refused; everything that is free keeps working.`,
      'To see your plan and get more credits, open:',
      link,
      'You get this e-mail once, until credits are added. Owners of the organization receive it.',
    ),
  }),

  planAsked: (
    to: string,
    { name, plan, email, link }: { name: string; plan: string; email: string; link: string },
  ): Mail => ({
    to,
    subject: `${name} requests the ${plan} plan`,
    text: text(`${email} requests the ${plan} plan for the organization ${name}. To change its plan, open:`, link),
  }),

  invite: (to: string, link: string): Mail => ({
    to,
    subject: 'You are invited to join an organization',
    text: text(
      'You are invited to join an organization on Video Intelligence:',
      link,
      'The link works once and expires in seven days. If you did not expect this, ignore this e-mail.',
    ),
  }),
} as const
