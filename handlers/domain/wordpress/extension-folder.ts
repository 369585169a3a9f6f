import type { ExtensionKind } from '../../ports/host/wordpress/wordpress-extensions.ts'

/** Where a WordPress in a folder has its plugins, or its themes. */
export const extensionFolder = (path: string, kind: ExtensionKind): string =>
  `${path}/wp-content/${kind}s`
