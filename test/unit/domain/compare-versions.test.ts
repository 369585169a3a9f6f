import { describe, expect, test } from 'vitest'
import { compareVersions, newestVersion } from '#handlers/domain/wordpress/compare-versions.ts'
import { readExtensionHead } from '#handlers/domain/wordpress/read-extension-head.ts'
import { readWordpressVersion } from '#handlers/domain/wordpress/wordpress-version.ts'

describe('versions of WordPress, plugins and themes', () => {
  // Each is older than the one after it, as PHP's version_compare() has them.
  const ORDER = ['1.0-dev', '1.0-alpha', '1.0b1', '1.0-RC1', '1.0', '1.0.1', '1.0p1', '1.2', '1.10']
  test.each(ORDER.slice(1).map((newer, at) => [ORDER[at]!, newer]))('%s < %s', (older, newer) => {
    expect(compareVersions(older, newer)).toBeLessThan(0)
    expect(compareVersions(newer, older)).toBeGreaterThan(0)
    expect(compareVersions(newer, newer)).toBe(0)
  })
  test('the newest is found among several, and none among none', () => {
    expect(newestVersion(['6.1', '6.10', '6.9'])).toBe('6.10')
    expect(newestVersion([])).toBeNull()
  })
})

describe('heads of files', () => {
  test('are read as WordPress reads them', () => {
    const text =
      '<?php\r\n/**\r\n * @package x\r\n * Plugin Name: A & B \r\n * version: 1.2-b\r\n */'
    expect(readExtensionHead(text, 'Plugin Name')).toEqual({ name: 'A & B', version: '1.2-b' })
    expect(readExtensionHead(text, 'Theme Name')).toBeNull()
    expect(readExtensionHead('<?php /* Plugin Name: One */', 'Plugin Name')).toEqual({
      ...{ name: 'One', version: null },
    })
  })
  test('tell no version that is none', () => {
    expect(readWordpressVersion("<?php\n$wp_version = '6.1.6';")).toBe('6.1.6')
    expect(readWordpressVersion("<?php\n$wp_version = 'x';")).toBeNull()
    expect(readWordpressVersion('')).toBeNull()
  })
})
