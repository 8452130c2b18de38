{
  description = "nri-compat finds NRI plugins that the next release of containerd or CRI-O would drop";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      workspace = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace;
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEach = build: nixpkgs.lib.genAttrs systems (system: build nixpkgs.legacyPackages.${system});

      # program PACKAGES CRATE: the program of a crate, with all features.
      program =
        pkgs: crate: extra:
        pkgs.rustPlatform.buildRustPackage (
          {
            pname = crate;
            version = workspace.package.version;
            src = self;
            cargoLock.lockFile = ./Cargo.lock;
            cargoBuildFlags = [
              "--package=${crate}"
              "--all-features"
            ];
            # The tests need the network, peers and an hour: .ci/run runs them.
            doCheck = false;
            meta = {
              homepage = workspace.package.homepage;
              license = pkgs.lib.licenses.asl20;
              mainProgram = crate;
              platforms = systems;
            };
          }
          // extra
        );
    in
    {
      packages = forEach (pkgs: {
        default = self.packages.${pkgs.stdenv.hostPlatform.system}.nri-compat;
        nri-bridge = program pkgs "nri-bridge" { };
        nri-compat = program pkgs "nri-compat" {
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = pkgs.lib.optionalString (pkgs.stdenv.buildPlatform.canExecute pkgs.stdenv.hostPlatform) ''
            $out/bin/nri-compat man --out man
            installManPage man/*
            installShellCompletion --cmd nri-compat \
              --bash <($out/bin/nri-compat completions bash) \
              --fish <($out/bin/nri-compat completions fish) \
              --zsh <($out/bin/nri-compat completions zsh)
          '';
        };
      });

      # What .ci/run needs beside its own downloads.
      devShells = forEach (pkgs: {
        default = pkgs.mkShell {
          packages = with pkgs; [
            cargo
            clippy
            go
            nodejs
            python3
            rustc
            rustfmt
          ];
        };
      });
    };
}
