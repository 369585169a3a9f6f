/** An entry of a home directory, as the API returns it. */
export interface FileEntry {
  name: string
  /** Relative to the home, without leading slash; '' is the home itself. */
  path: string
  type: 'file' | 'directory' | 'symlink'
  size: number
  /** Four octal digits, e.g. `0644`. */
  permissions: string
  /** `YYYY-MM-DD HH:MM:SS`, UTC. */
  modified_at: string
  owner: string
}

/** Contents of a file: text when it is valid UTF-8, else base64. */
export interface FileContent {
  path: string
  content: string
  encoding: 'utf8' | 'base64'
  size: number
  modified_at: string
}

/**
 * Files of an account's home, done as the account's uid. `path` is relative to
 * the home and already normalised by `domain/home-path`; the host checks it
 * again, and no step follows a symbolic link out of the home. Errors: 404 no
 * such path, 409 wrong kind (a directory where a file is wanted), 413 too
 * large or over quota, 403 not permitted to the account.
 */
export interface FilesPort {
  list(input: { username: string; path: string }): Promise<FileEntry[]>
  /** At most `maxBytes`; larger files are 413. */
  read(input: { username: string; path: string; maxBytes: number }): Promise<FileContent>
  /** Writes to a temporary file beside and renames; the old content stays until then. Mode 0644 when new. */
  write(input: {
    username: string
    path: string
    content: string
    encoding: 'utf8' | 'base64'
  }): Promise<FileEntry>
  /** Creates the directory and missing parents (0755). 409 when it exists. */
  mkdir(input: { username: string; path: string }): Promise<FileEntry>
  /** `mode` is 3 or 4 octal digits without setuid, setgid, sticky. */
  chmod(input: { username: string; path: string; mode: string }): Promise<FileEntry>
  /** Recursive for directories; links are removed, not followed. The home itself is 400. */
  delete(input: { username: string; path: string }): Promise<void>
}
