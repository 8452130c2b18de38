module messages

go 1.24
