import { addressPairs } from '#adapters/node/agent/wordpress/copies/site-of-copy.ts'
import { archiveNamed } from '#adapters/node/wordpress-cores/core-store.ts'
import { compareVersions } from '#handlers/domain/wordpress/compare-versions.ts'
import { assertSiteName } from '#handlers/domain/wordpress/network-names.ts'
import { readExtensionHead } from '#handlers/domain/wordpress/read-extension-head.ts'
import { readStagingMark } from '#handlers/domain/wordpress/staging-mark.ts'
import { readChecksums, readOffers } from '#handlers/domain/wordpress/read-official.ts'
import { readSumFile } from '#handlers/domain/wordpress/read-sum-file.ts'
import {
  readLocalPackage,
  readVersionText,
  readWordpressVersion,
} from '#handlers/domain/wordpress/wordpress-version.ts'
import { opened, parsersOf } from '../parser-list.ts'

/** What stands in the files of a WordPress. */
export const wordpressParsers = parsersOf('tenant', 64 * 1024, {
  'adapters/node/agent/wordpress/copies/site-of-copy.ts addressPairs': opened(
    ['http://', 'https://www.'],
    (text) =>
      addressPairs(
        { url: 'http://a.example/', folder: '/home/a/public_html' },
        { home: text, siteurl: text },
        { url: 'http://b.example/', folder: '/home/a/b' },
        null,
      ),
  ),
  'adapters/node/wordpress-cores/core-store.ts archiveNamed': opened(
    ['wordpress-6.5', 'wordpress-6.5.2-de_'],
    archiveNamed,
  ),
  'handlers/domain/wordpress/compare-versions.ts compareVersions': opened(['6.', '6.1-'], (text) =>
    compareVersions(text, '6.1.6-RC1'),
  ),
  'handlers/domain/wordpress/network-names.ts assertSiteName': opened(
    ['shop.', 'a.b-', 'xn--'],
    assertSiteName,
  ),
  'handlers/domain/wordpress/read-extension-head.ts readExtensionHead': opened(
    ['<?php /*', ' * Plugin Name: ', '/*\n * Version:'],
    (text) => readExtensionHead(text, 'Plugin Name'),
  ),
  'handlers/domain/wordpress/staging-mark.ts readStagingMark': opened(
    [' * Staging copy of: ', ' * Staging copy of: %'],
    readStagingMark,
  ),
  'handlers/domain/wordpress/read-official.ts readOffers': opened(
    ['{"offers":[', '{"offers":[{"version":"6.5","locale":"'],
    readOffers,
  ),
  'handlers/domain/wordpress/read-official.ts readChecksums': opened(
    ['{"checksums":{', '{"checksums":{"wp-admin/'],
    readChecksums,
  ),
  'handlers/domain/wordpress/read-sum-file.ts readSumFile': opened(
    ['a'.repeat(64), `${'a'.repeat(64)}  `, `${'a'.repeat(64)} *`],
    (text) => readSumFile(text, 'wordpress-6.5.2.zip'),
  ),
  'handlers/domain/wordpress/wordpress-version.ts readLocalPackage': opened(
    ['<?php\n$wp_local_package', "<?php\n$wp_local_package = '"],
    readLocalPackage,
  ),
  'handlers/domain/wordpress/wordpress-version.ts readVersionText': opened(['6.'], readVersionText),
  'handlers/domain/wordpress/wordpress-version.ts readWordpressVersion': opened(
    ['<?php\n$wp_version', "<?php\n$wp_version = '"],
    readWordpressVersion,
  ),
})
