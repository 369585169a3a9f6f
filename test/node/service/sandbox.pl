#!/usr/bin/perl
# Stands in for what systemd does with a unit:
#   sandbox.pl NUMBER,NUMBER,... PATH,PATH,... -- PROGRAM ARGS
# Everything but the paths is read-only, and calls that are not listed answer EPERM.
# Runs in a mount namespace of its own (unshare --mount).
use strict;
use warnings;

my ($calls, $paths, undef) = splice @ARGV, 0, 3;
my ($prctl, @calls) = split /,/, $calls;
for my $path (grep { -e } split /,/, $paths) {
  system('mount', '--bind', $path, $path) == 0 or die "mount $path";
}
system('mount', '-o', 'remount,bind,ro', '/') == 0 or die 'mount /';

# struct sock_filter: code, jump if true, jump if false, value (seccomp(2)).
my $filter = pack 'SCCL', 0x20, 0, 0, 0;    # load the number of the call
$filter .= pack('SCCL', 0x15, 0, 1, $_) . pack('SCCL', 0x06, 0, 0, 0x7fff0000) for @calls;
$filter .= pack 'SCCL', 0x06, 0, 0, 0x00050001;
my $program = pack 'S x6 P', length($filter) / 8, $filter;
syscall($prctl, 38, 1, 0, 0, 0) == 0 or die "no_new_privs: $!";
syscall($prctl, 22, 2, $program, 0, 0) == 0 or die "seccomp: $!";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!";
