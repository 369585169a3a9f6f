/**
 * Writes `0`, which is the writer itself (cgroups(7)), to each file and becomes the command.
 * Perl is essential in Debian (perl-base) and starts in 2 ms; nothing of util-linux enters a
 * group. `-t`: what the environment says to Perl is not heard, for it may be an account's,
 * and this runs as root; `-X`: and no warnings of that either.
 */
const ENTER =
  'for my $f (splice @ARGV, 0, shift) {' +
  ' open F, ">", $f and defined syswrite F, "0" and close F' +
  ' or die "The group of this account cannot be entered: $f: $!\\n" }' +
  ' exec { $ARGV[0] } @ARGV; die "$ARGV[0] cannot be started: $!\\n"'

/** The words before a command line that put its process into the groups of these `cgroup.procs`. */
export const enterWords = (files: readonly string[]): string[] => [
  ...['/usr/bin/perl', '-tX', '-e', ENTER, '--', String(files.length)],
  ...files,
]
