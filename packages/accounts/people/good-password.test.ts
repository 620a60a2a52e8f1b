import { expect } from 'chai'
import { assertGoodPassword } from './good-password.ts'

const email = 'ada.lovelace@analytical.example'
const refusalOf = (password: string): string | undefined => {
  try {
    assertGoodPassword(password, { email })
    return undefined
  } catch (error) {
    expect(error).to.deep.include({ code: 'invalid_request' })
    const [problem] = (error as { details: { path: string; message: string }[] }).details
    expect(problem?.path).to.equal('password')
    return problem?.message
  }
}

describe('a new password', () => {
  it('has 15 to 200 characters, as people count them', () => {
    expect(refusalOf('wet otters jug')).to.match(/at least 15/)
    expect(refusalOf('wet otters jugg')).to.equal(undefined)
    expect(refusalOf('🦦 wet otters 🦦')).to.match(/at least 15/)
    expect(refusalOf('seven wet otters juggle '.repeat(9))).to.match(/at most 200/)
  })

  for (const [what, password] of Object.entries({
    'one character again and again': 'aaaaaaaaaaaaaaaa',
    'two characters in turn': 'abababababababab',
    'a short word again and again': 'otterotterotter',
    'the digits in their order': '12345678901234567',
    'the alphabet': 'abcdefghijklmnop',
    'the alphabet backwards': 'ponmlkjihgfedcba',
    'rows of a keyboard': 'qwertyuiopasdfghjkl',
    'a common word with digits': 'password1234567',
    'a common word in other signs': 'P@ssw0rdP@ssw0rd',
    'several common words': 'welcome-admin-2345678',
    'a sentence that everybody knows': 'Correct Horse Battery Staple',
    'the name of the product': 'VideoIntelligenceService1',
    'the own address': 'ada.lovelace@analytical',
    'the own name': 'lovelace1234567',
  }))
    it(`is refused if it is ${what}`, () => {
      expect(refusalOf(password)).to.match(/easily guessed/)
    })

  for (const [what, password] of Object.entries({
    'as it is': 'jo.li@ab.cd.info',
    'in capitals, with spaces': ' JO.LI @ AB.CD.INFO ',
    twice: 'jo.li@ab.cd.infojo.li@ab.cd.info',
    'in wide characters': 'ｊｏ．ｌｉ＠ａｂ．ｃｄ．ｉｎｆｏ',
    'and a year': 'jo.li@ab.cd.info2026',
  }))
    it(`is refused if it is an address of short parts: ${what}`, () => {
      expect(() => assertGoodPassword(password, { email: 'Jo.Li@ab.cd.info' })).to.throw(/easily guessed/)
    })

  for (const password of [
    'seven wet otters juggle',
    'xK3#mQ9!pL2@vR7',
    'mein Hund frisst gern Käse',
    'tlhIngan maH taHjaj',
  ])
    it(`may be ${password}`, () => {
      expect(refusalOf(password)).to.equal(undefined)
    })
})
