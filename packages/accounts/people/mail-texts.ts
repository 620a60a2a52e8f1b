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
      'Somebody, probably you, wants to use this address for an account of the Video Intelligence Service. To confirm it, sign in and open:',
      link,
      'The link works once, for one hour. If it was not you, do nothing: nothing is changed.',
    ),
  }),

  addressChangeAsked: (to: string, address: string): Mail => ({
    to,
    subject: 'A new e-mail address was requested',
    text: text(
      `Somebody, probably you, has asked to change the e-mail address of your Video Intelligence Service account to ${address}. Nothing is changed until that address is confirmed.`,
      'If it was not you, change your password now: whoever asked knows it.',
    ),
  }),

  addressChanged: (to: string, address: string): Mail => ({
    to,
    subject: 'Your e-mail address was changed',
    text: text(
      `The e-mail address of your Video Intelligence Service account is now ${address}. You no longer sign in with this one.`,
      'If it was not you, contact whoever runs the service at once.',
    ),
  }),

  secondFactorOff: (to: string): Mail => ({
    to,
    subject: 'Two-factor authentication was turned off',
    text: text(
      'Two-factor authentication was turned off for your account of the Video Intelligence Service. To sign in, your password is enough now.',
      'If it was not you, change your password now and turn it on again.',
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
        ? `Your server answered 410 (Gone), so we stopped sending messages.`
        : `Your server has not accepted any message for four days, so we stopped sending.`,
      'To switch it on again and resend what it missed, open:',
      link,
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
