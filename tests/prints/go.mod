module prints

go 1.24
