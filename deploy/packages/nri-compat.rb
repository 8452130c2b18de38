# Homebrew: put this file in the Formula folder of a tap.
class NriCompat < Formula
  desc "Finds NRI plugins that the next release of containerd or CRI-O would drop"
  homepage "@ADDRESS@"
  version "@VERSION@"
  license "@LICENSE@"

  on_linux do
    on_intel do
      url "@DOWNLOADS@/nri-compat-@VERSION@-x86_64-linux.tar.gz"
      sha256 "@SHA256_X86_64_LINUX@"
    end
    on_arm do
      url "@DOWNLOADS@/nri-compat-@VERSION@-aarch64-linux.tar.gz"
      sha256 "@SHA256_AARCH64_LINUX@"
    end
  end

  on_macos do
    on_intel do
      url "@DOWNLOADS@/nri-compat-@VERSION@-x86_64-macos.tar.gz"
      sha256 "@SHA256_X86_64_MACOS@"
    end
    on_arm do
      url "@DOWNLOADS@/nri-compat-@VERSION@-aarch64-macos.tar.gz"
      sha256 "@SHA256_AARCH64_MACOS@"
    end
  end

  def install
    bin.install "nri-compat"
    # Plugins, and with them the bridge, run on Linux only.
    bin.install "nri-bridge" if OS.linux?
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/nri-compat"
    zsh_completion.install "completions/_nri-compat"
    fish_completion.install "completions/nri-compat.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/nri-compat --version")
  end
end
