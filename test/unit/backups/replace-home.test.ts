import { describe, expect, it } from 'vitest'
import { replaceHome } from '#handlers/domain/backups/replace-home.ts'

describe('paths of a home', () => {
  it.each([
    ['/home/shop', '/home/new'],
    ["define('WPCACHEHOME', '/home/shop/web/');", "define('WPCACHEHOME', '/home/new/web/');"],
    ['open_basedir=/home/shop:/home/shop/tmp', 'open_basedir=/home/new:/home/new/tmp'],
    ['sqlite:///home/shop/db.sqlite', 'sqlite:///home/new/db.sqlite'],
    ['It is in /home/shop. Yes', 'It is in /home/new. Yes'],
  ])('are those of the new one: %s', (text, expected) => {
    expect(replaceHome(text, '/home/shop', '/home/new').text).toBe(expected)
  })

  it.each([
    '/home/shop2',
    '/home/shop.old',
    '/home/shop_a',
    '/home/shop-a',
    '/var/home/shop',
    './home/shop',
  ])('are not those of others: %s', (text) => {
    expect(replaceHome(text, '/home/shop', '/home/new')).toEqual({ text, count: 0 })
  })
})
