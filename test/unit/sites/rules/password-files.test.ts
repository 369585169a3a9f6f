import { describe, expect, it } from 'vitest'
import { groupsIn, hashIn } from '#handlers/sites/htaccess/access/password-files.ts'

describe('a file of passwords', () => {
  const text = 'eve:first:rest\r\nadam: second \neve:third\n:none\nlast:end'
  it.each([
    ['eve', 'first'],
    ['adam', 'second'],
    ['last', 'end'],
    ['ev', null],
    ['eve:first', null],
    ['', null],
    ['rest\r\nadam', null],
    ['none', null],
  ])('has for %j %j', (user, hash) => expect(hashIn(text, user)).toBe(hash))

  it('has nothing where nothing stands behind the name', () => {
    expect(hashIn('eve:\neve:x', 'eve')).toBeNull()
  })
})

describe('a file of groups', () => {
  const text = [
    'staff: adam eve',
    ' editors :\teve\r',
    'eve: adam',
    'none eve',
    'adam evelyn: eve adameve',
    'x: adam: eve',
    'y: eve: adam',
    'twice: eve eve',
    'last:eve',
  ].join('\n')
  it('names those with the user as a member', () => {
    expect(groupsIn(text, 'eve')).toEqual([
      ...['staff', 'editors', 'adam evelyn', 'y', 'twice', 'last'],
    ])
    expect(groupsIn(text, 'adam')).toEqual(['staff', 'eve', 'x'])
    expect(groupsIn(text, 'ev')).toEqual([])
    expect(groupsIn('', 'eve')).toEqual([])
  })
})
