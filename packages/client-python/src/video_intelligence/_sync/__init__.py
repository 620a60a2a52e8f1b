# Written by `npm run contracts:python`. Do not edit.
