import { makeZip } from './make-zip.ts'
import type { ZipMember } from './make-zip.ts'

/** Just enough files for a WordPress of a version, or of a language alone, to be taken for one; by their paths in an archive. */
export const smallCore = (version: string, locale?: string): Record<string, string> => ({
  'wordpress/index.php': '<?php // front\n',
  'wordpress/wp-load.php': '<?php // load\n',
  'wordpress/wp-settings.php': '<?php // settings\n',
  'wordpress/wp-admin/index.php': '<?php // admin\n',
  'wordpress/wp-content/index.php': '<?php // content\n',
  'wordpress/wp-includes/version.php': `<?php\n$wp_version = '${version}';\n$required_php_version = '7.0';\n${
    locale === undefined ? '' : `$wp_local_package = '${locale}';\n`
  }`,
  ...(locale === undefined ? {} : { [`wordpress/wp-content/languages/${locale}.mo`]: 'words' }),
})

/** A zip of such files, and of members that may be hostile. */
export const zipOf = (
  files: Readonly<Record<string, string>>,
  more: readonly ZipMember[] = [],
): Buffer =>
  makeZip([...Object.entries(files).map(([name, content]) => ({ name, content })), ...more])
